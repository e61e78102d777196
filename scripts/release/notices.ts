/** The licences of what the file bundles, as one text. */
import type { BundledPackage } from "./packages.ts"
import { BUN_VERSION } from "./targets.ts"

const RUNTIME = `Bun ${BUN_VERSION} (MIT) runs the program and is part of the file. It links JavaScriptCore and WebKit (LGPL-2.0-or-later), SQLite (public domain),
BoringSSL and other libraries. Their licences: https://bun.com/docs/project/license`

export function noticesText(packages: readonly BundledPackage[]): string {
  return `${[`Licences of what bizauth bundles\n\n${RUNTIME}`, ...packages.map(noticeOf)].join(`\n\n${"-".repeat(78)}\n`)}\n`
}

function noticeOf({ name, version, license, notices }: BundledPackage): string {
  const texts = notices.map((text) => text.trim())
  const body = texts.length > 0 ? texts.join("\n\n") : `The package states this licence and has no text of it.`
  return `${name} ${version} (${license})\n\n${body}`
}
