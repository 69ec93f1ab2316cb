// What a user changed in the fields of a form.
export const value = (field) => field.type === 'checkbox' ? field.checked : field.value

// saved is the value that the server sent.
export function saved(field) {
	if (field.type === 'checkbox') return field.defaultChecked
	if (field.matches('select')) return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value
	return field.defaultValue
}

export const fields = (root) => [...root.querySelectorAll('input[id]:not([type=hidden]), textarea[id], select[id]')]

// changes are the fields within an element that differ from what the server sent.
export const changes = (root) => fields(root).filter((field) => value(field) !== saved(field))
