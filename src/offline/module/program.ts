/**
 * `node verifier.mjs FILE [flags]`: the published module as a program, for a machine with Node or Bun and without bizauth. Only this file
 * uses the machine. It loads machine modules at run time, so that a browser never requests them.
 */
import { EXIT } from "../../base/exit.ts"
import { verifyBundle } from "../kinds/identity/verify-bundle.ts"
import { OptionError, type VerifyOptions } from "../steps/options.ts"
import { EXIT_OF } from "../words/exit-codes.ts"
import { printConclusion, printServiceDocument } from "../words/print-conclusion.ts"
import { verifyServiceDocument } from "./verify-service-document.ts"

const USAGE = `usage: node verifier.mjs FILE [--log-key VKEY] [--at TIME] [--max-age SECONDS] [--since FILE]
       [--head DIGEST] [--min-sequence N] [--receipt FILE] [--require-active] [--reformatted] [--json]
   or: node verifier.mjs FILE --issuer JWKS [--document FILE]... [--at TIME] [--reformatted] [--json]
       for a capability manifest or a service proof
`

class UsageError extends Error {}

interface Machine {
  readonly read: (path: string) => Promise<Uint8Array>
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

const VALUES = ["log-key", "at", "max-age", "since", "head", "min-sequence", "receipt", "issuer"] as const
const SWITCHES = ["require-active", "reformatted", "json"] as const

/** Runs only if this module is the program that Node or Bun was started with. */
export async function runAsProgram(moduleUrl: string): Promise<void> {
  const { process } = globalThis as { process?: { argv?: string[]; exitCode?: number | string | null | undefined } }
  const [, script, ...args] = process?.argv ?? []
  if (!process || script === undefined) return
  const [{ readFile, realpath }, { pathToFileURL }] = await Promise.all([
    import("node:fs/promises"),
    import("node:url"),
  ])
  const started = await realpath(script).catch(() => script)
  if (pathToFileURL(started).href !== moduleUrl) return
  const read = async (path: string) => new Uint8Array(await readFile(path === "-" ? "/dev/stdin" : path))
  process.exitCode = await program(args, { read, out: (text) => console.log(text), err: (text) => console.error(text) })
}

async function program(args: readonly string[], machine: Machine): Promise<number> {
  try {
    const given = readArguments(args)
    if (given.values.has("issuer")) return await judgeServiceDocument(given, machine)
    const { file, values, switches, documents } = given
    if (documents.length > 0) throw new UsageError(USAGE)
    const { read } = machine
    const bundle = await read(file)
    const flags = { value: (name: string) => values.get(name), isOn: (name: string) => switches.has(name), read }
    const conclusion = await verifyBundle(bundle, await bundleOptions(flags))
    machine.out(switches.has("json") ? JSON.stringify(conclusion) : printConclusion(conclusion).trimEnd())
    return EXIT_OF[conclusion.result]
  } catch (error) {
    if (error instanceof UsageError || error instanceof OptionError) {
      machine.err(`${error instanceof OptionError ? `${error.option}: ` : ""}${error.message}`)
      return EXIT.USAGE
    }
    if (error instanceof Error && "code" in error && "path" in error) {
      machine.err(error.message)
      return EXIT.NOT_CHECKED
    }
    throw error
  }
}

/** Values and switches that a service document allows. */
const OF_SERVICE_DOCUMENT = ["issuer", "at", "reformatted", "json"]

async function judgeServiceDocument(
  { file, values, switches, documents }: Arguments,
  { read, out }: Machine,
): Promise<number> {
  const foreign = [...values.keys(), ...switches].filter((name) => !OF_SERVICE_DOCUMENT.includes(name))
  if (foreign.length > 0) throw new UsageError(USAGE)
  const at = values.get("at")
  const conclusion = await verifyServiceDocument(await read(file), {
    issuer: new TextDecoder().decode(await read(values.get("issuer") ?? "")),
    documents: await Promise.all(documents.map(read)),
    reformatted: switches.has("reformatted"),
    ...(at === undefined ? {} : { at }),
  })
  out(switches.has("json") ? JSON.stringify(conclusion) : printServiceDocument(conclusion).trimEnd())
  return EXIT_OF[conclusion.result]
}

interface Arguments {
  readonly file: string
  readonly values: ReadonlyMap<string, string>
  readonly switches: ReadonlySet<string>
  /** Files of `--document`, which may be repeated. */
  readonly documents: readonly string[]
}

function readArguments(args: readonly string[]): Arguments {
  const values = new Map<string, string>()
  const documents: string[] = []
  const switches = new Set<string>()
  const files: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ""
    const name = word.startsWith("--") ? word.slice(2) : null
    if (name === null) files.push(word)
    else if (SWITCHES.some((known) => known === name)) switches.add(name)
    else if (name === "document" && at + 1 < args.length) documents.push(args[++at] ?? "")
    else if (VALUES.some((known) => known === name) && at + 1 < args.length) values.set(name, args[++at] ?? "")
    else throw new UsageError(USAGE)
  }
  const [file] = files
  if (file === undefined || files.length > 1) throw new UsageError(USAGE)
  return { file, values, switches, documents }
}

/** The flags of a command line about an export bundle. */
interface BundleFlags {
  readonly value: (name: string) => string | undefined
  readonly isOn: (name: string) => boolean
  /** Reads the file that a flag names. */
  readonly read: (path: string) => Promise<Uint8Array>
}

/** Returns the options without undefined members. */
export async function bundleOptions({ value, isOn, read }: BundleFlags): Promise<VerifyOptions> {
  const text = async (name: string) => {
    const path = value(name)
    return path === undefined ? undefined : new TextDecoder().decode(await read(path))
  }
  const options: { readonly [Name in keyof VerifyOptions]: VerifyOptions[Name] | undefined } = {
    logKey: value("log-key"),
    at: value("at"),
    maxAge: wholeNumber(value("max-age")),
    since: await text("since"),
    head: value("head"),
    minSequence: wholeNumber(value("min-sequence")),
    receipt: await text("receipt"),
    requireActive: isOn("require-active"),
    reformatted: isOn("reformatted"),
  }
  return Object.fromEntries(Object.entries(options).filter(([, given]) => given !== undefined))
}

/** Accepts decimal digits only, because `1e9` or `0x10` is probably a mistake. Returns NaN for any other text; no option accepts NaN. */
function wholeNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}
