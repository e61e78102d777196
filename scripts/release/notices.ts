/** The licences of what the file and the container image bundle, as one text. */
import { C_LIBRARY } from "./c-library.ts"
import type { BundledPackage } from "./packages.ts"
import { BUN_VERSION } from "./targets.ts"

const RUNTIME = `Bun ${BUN_VERSION} (MIT) runs the program and is part of the file. It links JavaScriptCore and WebKit (LGPL-2.0-or-later), SQLite (public domain),
BoringSSL and other libraries, and has the root certificates that Mozilla includes in NSS (MPL-2.0). Their licences: https://bun.com/docs/project/license`

/** SPDX expression of what {@link RUNTIME} names. CHOICE: public domain and permissive parts of the runtime do not change it. */
export const RUNTIME_LICENSES = "MIT AND LGPL-2.0-or-later AND MPL-2.0"

/** `more`: notices of what is beside the program. */
export function noticesText(packages: readonly BundledPackage[], more: readonly string[] = []): string {
  const notices = [`Licences of what bizauth bundles\n\n${RUNTIME}`, ...packages.map(noticeOf), ...more]
  return `${notices.join(`\n\n${"-".repeat(78)}\n`)}\n`
}

/** `copyright`: the file of the package. */
export function cLibraryNotice(copyright: string): string {
  const { package: name, version, license, sourceUrl } = C_LIBRARY
  return `${name} ${version} (${license})

The container image has files of this package of Debian 12, unchanged. Their source: ${sourceUrl}

${copyright.trim()}`
}

/** SPDX expression over the program, its runtime, its packages and the C library. */
export function imageLicenses(license: string, packages: readonly BundledPackage[]): string {
  const found = new Set([
    license,
    ...RUNTIME_LICENSES.split(" AND "),
    C_LIBRARY.license,
    ...packages.map((one) => one.license),
  ])
  return [...found]
    .toSorted()
    .map((one) => (one.includes(" ") ? `(${one})` : one))
    .join(" AND ")
}

function noticeOf({ name, version, license, notices }: BundledPackage): string {
  const texts = notices.map((text) => text.trim())
  return `${name} ${version} (${license})\n\n${texts.join("\n\n")}`
}
