/** What an archive holds beside the program. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { ArchiveFile } from "./archive.ts"
import { noticesText } from "./notices.ts"
import type { BundledPackage } from "./packages.ts"
import { run } from "./run.ts"
import { commonUnit } from "./unit.ts"

/** `tree`: the unpacked source, with its packages. */
export function documentsOf(tree: string, commit: string, packages: readonly BundledPackage[]): ArchiveFile[] {
  const named = `--define=BUILD_COMMIT=${JSON.stringify(commit)}`
  const printed = (...words: string[]) => run([process.execPath, named, "src/main.ts", ...words], tree)
  const copied = ["LICENSE", "README.md", "CHANGELOG.md"].map((name) => ({
    name,
    content: readFileSync(join(tree, name)),
  }))
  return [
    ...copied,
    { name: "NOTICES.txt", content: noticesText(packages) },
    { name: "bizauth.1", content: printed("man") },
    { name: "bizauth.service", content: commonUnit("/usr/local/bin/bizauth") },
    { name: "completions/bizauth.bash", content: printed("completion", "bash") },
    { name: "completions/_bizauth", content: printed("completion", "zsh") },
    { name: "completions/bizauth.fish", content: printed("completion", "fish") },
  ]
}
