import { unitFile } from "../../src/cli/unit-file.ts"

/** The unit for the common places; `bizauth install-unit` prints one for others. `program`: absolute path of the installed file. */
export function commonUnit(program: string): string {
  // With the hyphen systemd goes on where the folder is missing.
  const written = ["-/var/backups/bizauth"]
  const places = { user: "bizauth", data: "/var/lib/bizauth/data", config: null, written, credentials: [] }
  return unitFile({ program, ...places })
}
