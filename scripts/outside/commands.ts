import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Shown } from "./compare.ts"
import { inPairs, run } from "./run.ts"

/** What the program prints without a data directory: help of every command and group, pages, completions, policies, and wrong calls. */
export async function typedCommands(tree: string): Promise<Shown> {
  const all = await run(tree, ["help", "--all"])
  const names = all.split("\n").flatMap((line) => /^ {2}([a-z][a-z -]*?) {2,}\S/.exec(line)?.[1]?.split(" ") ?? [])
  const commands = [...all.matchAll(/^ {2}([a-z][a-z -]*?) {2,}\S/gm)].map(([, name]) => (name as string).split(" "))
  const policies = [...(await run(tree, ["policies"])).matchAll(/\b[A-Z]{2}_[A-Z0-9_]+_V1\b/g)].map(([id]) => id)
  const calls = [
    ...["help", "man", "policies"].map((word) => [word]),
    ["help", "--all"],
    ["policies", "--json"],
    ...new Set(policies).values().flatMap((id) => [
      ["policies", id],
      ["policies", id, "--json"],
    ]),
    ...["bash", "zsh", "fish"].map((shell) => ["completion", shell]),
    ...[...new Set(names)].map((word) => ["help", word]),
    ...commands.flatMap((command) => [[...command, "--help"], [...command, "--no-such-flag"], [...command]]),
  ].filter(([first, ...more]) => first !== "serve" || more.length > 0)
  return shown(tree, calls)
}

/** Copies the stored deliveries. Beside each one comes a damaged copy, whose first digest has another first digit. */
export function copyCorpus(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  for (const path of documentsIn(to)) {
    const text = readFileSync(join(to, path), "utf8")
    const damaged = text.replace(/sha256:(.)/, (_, digit) => `sha256:${digit === "0" ? "1" : "0"}`)
    writeFileSync(join(to, path.replace(".json", ".damaged.json")), damaged)
  }
}

const documentsIn = (corpus: string) => [...new Bun.Glob("*-build/*/*.json").scanSync(corpus)].sort()

/** What the offline commands print about every document of a folder that {@link copyCorpus} made. */
export async function offlineCommands(tree: string, corpus: string): Promise<Shown> {
  const calls = documentsIn(corpus).flatMap((path) => {
    const file = join(corpus, path)
    const issuer = ["--issuer", join(corpus, path.split("/")[0] as string, "issuer.jwks.json")]
    const at = ["--at", timeInside(readFileSync(file, "utf8"))]
    const verify = ["verify", file, ...issuer]
    if (path.includes(".damaged."))
      return [
        [...verify, ...at, "--json"],
        ["replay", file, ...issuer],
      ]
    const replay = path.endsWith(".bundle.json")
      ? [
          ["replay", file, ...issuer],
          ["replay", file, "--json"],
        ]
      : []
    return [
      [...verify, ...at],
      [...verify, ...at, "--json"],
      [...verify, "--at", "2031-01-01T00:00:00Z", "--json"],
      [...verify, ...at, "--require", "RELEASE_PAYMENT", "--environment", "test"],
      ["verify", file, "--issuer", join(corpus, "first-build", "issuer.jwks.json"), ...at],
      ["show", file],
      ["show", file, "--json"],
      ["show", file, "--html"],
      ...replay,
    ]
  })
  return shown(tree, calls, corpus)
}

/** A moment at which the document may be valid: the first `valid_as_of` in it, else a fixed one. */
const timeInside = (text: string): string => /"valid_as_of":"([^"]+)"/.exec(text)?.[1] ?? "2026-11-01T00:00:00Z"

async function shown(tree: string, calls: readonly (readonly string[])[], cwd?: string): Promise<Shown> {
  const texts = await inPairs(calls, (words) => run(tree, words, cwd))
  return new Map(calls.map((words, at) => [`bizauth ${words.join(" ")}`, texts[at] as string]))
}
