package private

import (
	"os"
	"runtime"
	"strings"
)

// installCommand returns the command that installs a server on this system.
func installCommand() string {
	if runtime.GOOS == "darwin" {
		return "brew install mariadb"
	}
	release, _ := os.ReadFile("/etc/os-release")
	return installCommandFor(string(release))
}

// installCommandFor picks by the ID and ID_LIKE of an os-release file.
func installCommandFor(release string) string {
	commands := map[string]string{
		"debian": "apt-get install --no-install-recommends mariadb-server-core",
		"ubuntu": "apt-get install --no-install-recommends mariadb-server-core",
		"fedora": "dnf install mariadb-server",
		"rhel":   "dnf install mariadb-server",
		"suse":   "zypper install mariadb",
		"arch":   "pacman -S mariadb",
		"alpine": "apk add mariadb",
	}
	for _, id := range releaseIDs(release) {
		if command, ok := commands[id]; ok {
			return command
		}
	}
	return "install the package mariadb-server of your system (Debian: " + commands["debian"] + ")"
}

func releaseIDs(release string) []string {
	var own, like []string
	for line := range strings.Lines(release) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch value = strings.Trim(value, `"'`); name {
		case "ID":
			own = strings.Fields(value)
		case "ID_LIKE":
			like = strings.Fields(value)
		}
	}
	return append(own, like...)
}
