/** The packages that the file bundles: those that package.json names as dependencies, and theirs, as bun.lock resolves them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { licenceText } from "./licence-texts.ts"

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalPeers?: readonly string[]
}
/** `name@version`, registry, relations, integrity. */
type LockEntry = readonly [string, string, Locked, string]

export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** `sha512-` and base64. */
  readonly integrity: string
  /** An SPDX expression, as the package states it. */
  readonly license: string
  /** Texts of its licence and notice files, or the common text of its licence. */
  readonly notices: readonly string[]
  /** `name@version` of its dependencies. */
  readonly dependencies: readonly string[]
}

interface Lock {
  readonly workspaces: { readonly "": { readonly dependencies: Readonly<Record<string, string>> } }
  readonly packages: Readonly<Record<string, LockEntry>>
}

/**
 * `root`: folder with bun.lock and node_modules. In the order of name and version. Throws if a package is not installed, states no licence, or has no text
 * of one that asks for it.
 */
export async function bundledPackages(root: string): Promise<BundledPackage[]> {
  const lock: Lock = (await import(join(root, "bun.lock"), { with: { type: "jsonc" } })).default
  const found = new Map<string, BundledPackage>()
  const waiting = Object.keys(lock.workspaces[""].dependencies)
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const entry = lock.packages[place]
    if (entry === undefined) throw new Error(`bun.lock has no package ${place}`)
    if (found.has(entry[0])) continue
    const needed = neededBy(entry[2]).flatMap((name) => resolve(lock, place, name) ?? [])
    const dependencies = needed.flatMap((one) => lock.packages[one]?.[0] ?? []).toSorted()
    found.set(entry[0], { ...describe(root, place, entry), dependencies })
    waiting.push(...needed)
  }
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, bundled]) => bundled)
}

/** An optional peer, such as a compiler, is not bundled. */
function neededBy({ dependencies = {}, peerDependencies = {}, optionalPeers = [] }: Locked): string[] {
  return [
    ...Object.keys(dependencies),
    ...Object.keys(peerDependencies).filter((name) => !optionalPeers.includes(name)),
  ]
}

/** As Node resolves a name: beside the package first, then further up. Null for a peer that is not installed. */
function resolve({ packages }: Lock, from: string, name: string): string | null {
  const parts = from.split("/")
  for (let depth = parts.length; depth >= 0; depth--) {
    const place = [...parts.slice(0, depth), name].join("/")
    if (place in packages) return place
  }
  return null
}

function describe(
  root: string,
  place: string,
  [named, , , integrity]: LockEntry,
): Omit<BundledPackage, "dependencies"> {
  const at = named.lastIndexOf("@")
  const name = named.slice(0, at)
  const folder = folderOf(root, place, name)
  const { license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  if (typeof license !== "string") throw new Error(`${named} states no licence in its package.json`)
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .toSorted()
  const notices = texts.map((file) => readFileSync(join(folder, file), "utf8"))
  if (notices.length === 0) notices.push(commonText(named, license, author))
  return { name, version: named.slice(at + 1), integrity, license, notices }
}

/** `author`: as package.json has it, a text or an object with a name. */
function commonText(named: string, license: string, author: unknown): string {
  const holder = typeof author === "string" ? author : (author as { readonly name?: unknown } | undefined)?.name
  if (typeof holder !== "string") throw new Error(`${named} has no text of its licence and names no author`)
  const text = licenceText(license, holder)
  if (text === null) throw new Error(`${named} has no text of its licence ${license}: add it to licence-texts.ts`)
  return text
}

/** `viem/@noble/hashes` is `node_modules/viem/node_modules/@noble/hashes`. */
function folderOf(root: string, place: string, name: string): string {
  const parents = place.slice(0, -name.length).match(/(?:@[^/]+\/)?[^/]+/g) ?? []
  return join(root, ...[...parents, name].flatMap((one) => ["node_modules", one]))
}
