import { settings } from "../../src/base/settings.ts"
import { code, page, table } from "./markdown.ts"

/** Every setting of `bizauth.toml`, its default and its meaning. */
export function settingsPage(): string {
  const rows = Object.entries(settings).map(([name, { default: value, help }]) => [code(name), code(value), help])
  return page(
    "Settings",
    "Each setting is a flag of `bizauth serve` (`settle_wait_ms` is `--settle-wait-ms`), a variable (`BIZAUTH_SETTLE_WAIT_MS`) and a key of `bizauth.toml`. " +
      "A flag wins over a variable, a variable over the file, the file over the default. `bizauth config print --origin` shows the values in force and where each comes from.",
    table(["setting", "default", "meaning"], rows),
  )
}
