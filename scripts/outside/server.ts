import { cpSync } from "node:fs"
import { join } from "node:path"
import { PLAIN_ENVIRONMENT } from "../plain-environment.ts"
import type { Shown } from "./compare.ts"
import { operationsOf } from "./operations.ts"
import { programOf, run } from "./run.ts"

const ORIGIN = "https://decisions.example"
const READY_MS = 20_000

/** Commands over a data directory that no server uses. */
const COMMANDS = [
  ["config", "print"],
  ["config", "check"],
  ["check", "--offline"],
  ["keys", "list"],
  ["keys", "export"],
  ["sources", "status"],
  ["buyers", "list"],
  ["identities", "list"],
  ["log", "checkpoint"],
  ["payments", "owed"],
  ["acp", "status"],
]

/** Makes a data directory with the build before. Both builds open a copy of it. */
export async function makeDirectory(tree: string, scratch: string): Promise<string> {
  const data = join(scratch, "made")
  const made = await run(tree, ["init", "--data", data, "--environment", "test", "--base-url", ORIGIN])
  if (!made.startsWith("exit 0")) throw new Error(made)
  return data
}

/** What a build says about a copy of the directory, and every public document that its server sends. */
export async function servedDocuments(tree: string, made: string): Promise<Shown> {
  const data = `${made}-opened`
  cpSync(made, data, { recursive: true })
  const shown = new Map<string, string>()
  for (const words of COMMANDS) {
    shown.set(words.join(" "), steady(await run(tree, [...words, "--data", data]), data))
  }
  const operations = [...(await operationsOf(tree)).values()].map((text) => JSON.parse(text))
  const paths = operations.filter(({ method, path }) => method === "GET" && !/[{*]/.test(path)).map(({ path }) => path)
  await whileServing(tree, data, async (origin) => {
    for (const path of [...new Set<string>(paths)].sort()) {
      const response = await fetch(origin + path, { headers: { host: new URL(ORIGIN).host } })
      const headers = ["content-type", "cache-control", "content-security-policy"].map((name) =>
        response.headers.get(name),
      )
      shown.set(`GET ${path}`, steady(`${response.status}\n${headers.join("\n")}\n${await response.text()}`, data))
    }
  })
  await Bun.$`rm -rf ${data}`.quiet()
  return shown
}

/** Leaves out what differs between two runs of one build: times, ports, signatures, digests over them, and the build itself. */
function steady(text: string, data: string): string {
  return text
    .replaceAll(data, "DATA")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/127\.0\.0\.1:\d+/g, "ADDRESS")
    .replace(/\b[\d,]+ (ms|s|min|bytes|MiB|GiB)\b/g, "N $1")
    .replace(/[A-Za-z0-9_-]{86}(==)?/g, "SIGNATURE")
    .replace(/"((?:binary_|capability_manifest_)?digest)":"sha256:[0-9a-f]{64}"/g, '"$1":"DIGEST"')
    .replace(/"commit":"[0-9a-f]+"/g, '"commit":"COMMIT"')
}

async function whileServing(tree: string, data: string, work: (origin: string) => Promise<void>): Promise<void> {
  const child = Bun.spawn([programOf(tree), "serve", "--data", data, "--listen", "127.0.0.1:0"], {
    env: PLAIN_ENVIRONMENT,
    stdout: "pipe",
    stderr: "pipe",
  })
  try {
    await work(await originOf(child.stderr, child.stdout))
  } finally {
    child.kill()
    await child.exited
  }
}

/** The address that the program prints when it is ready. */
async function originOf(...streams: ReadableStream<Uint8Array>[]): Promise<string> {
  const found = streams.map(async (stream) => {
    let text = ""
    for await (const chunk of stream) {
      text += new TextDecoder().decode(chunk)
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (origin !== undefined) return origin
    }
    throw new Error(text)
  })
  const limit = Bun.sleep(READY_MS).then(() => Promise.reject(new Error("the server was not ready in time")))
  return Promise.race([Promise.any(found), limit])
}
