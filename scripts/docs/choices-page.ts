import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { code, page } from "./markdown.ts"

const ROOT = join(import.meta.dir, "..", "..")

/** Every `CHOICE:` comment of the source under its file: the decisions that the interface left open. */
export function choicesPage(): string {
  const paths = ["src", "schemas", "db"].flatMap((folder) =>
    [...new Glob(`${folder}/**/*.{ts,sql}`).scanSync({ cwd: ROOT })].toSorted(),
  )
  const lines = paths.flatMap((path) =>
    choices(readFileSync(join(ROOT, path), "utf8")).map((choice) => `- ${code(path)}: ${choice}`),
  )
  return page("Choices", "Where the interface is silent, the code decides and says why.", lines.join("\n"))
}

/** Returns the texts after `CHOICE:`, each to the end of its comment, on one line. */
export function choices(source: string): string[] {
  return comments(source).flatMap((comment) => {
    const [, ...found] = comment.split("CHOICE:")
    return found.map((text) => text.replace(/\s+/g, " ").trim())
  })
}

/** Returns block comments, and runs of line comments (`//` or `--`) on their own lines, without the comment markers. */
function comments(source: string): string[] {
  const found: string[] = []
  let run: string[] = []
  const end = () => {
    if (run.length > 0) found.push(run.join(" "))
    run = []
  }
  let isBlock = false
  for (const line of source.split("\n")) {
    const lineComment = /^\s*(?:\/\/|--)\s?(.*)$/.exec(line)?.[1]
    if (isBlock) {
      run.push(line.replace(/\*\/.*$/, "").replace(/^\s*\* ?/, ""))
      if (line.includes("*/")) isBlock = false
      if (!isBlock) end()
    } else if (/^\s*\/\*/.test(line)) {
      end()
      run.push(line.replace(/^\s*\/\*+\s?/, "").replace(/\*\/.*$/, ""))
      isBlock = !line.includes("*/")
      if (!isBlock) end()
    } else if (lineComment !== undefined) run.push(lineComment)
    else end()
  }
  end()
  return found
}
