/** Kinds of settings. Each parses the text that an operator wrote, and returns the typed value, or why the text is wrong. */
import { commaList } from "../core/text/comma-list.ts"
import { type AddressList, addressList, addressListFault } from "./address-list.ts"
import { type ListenAddress, listenAddress, UNIX } from "./listen-address.ts"
import { isLoopbackName } from "./loopback.ts"

/** Why a text is no value of its setting: a sentence without its subject, which is the setting's name. */
export class SettingFault {
  constructor(readonly why: string) {}
}

export type Parse<T> = (text: string) => T | SettingFault

/** An EVM address in lower case. */
export type EvmAddress = `0x${string}`

/** Names of channels, in the operator's order. */
interface Channels {
  /** As the operator wrote them. */
  readonly text: string
  readonly slugs: readonly string[]
}

/** `null` for an empty text, which means "not given". */
export const optional =
  <T>(parse: Parse<T>): Parse<T | null> =>
  (text) =>
    text === "" ? null : parse(text)
/** `null` for the text `0`, the default, which means "none". Another zero, such as `00`, is the number, so the setting counts as given. */
export const noneAtZero =
  <T>(parse: Parse<T>): Parse<T | null> =>
  (text) =>
    text === "0" ? null : parse(text)
export const anyText: Parse<string> = (text) => text
export const matching =
  (form: RegExp, why: string): Parse<string> =>
  (text) =>
    form.test(text) ? text : new SettingFault(why)
export const oneOf =
  <const V extends string>(...values: readonly V[]): Parse<V> =>
  (text) =>
    values.find((value) => value === text) ?? new SettingFault(`must be one of ${values.join(", ")}`)
export const integer =
  (min: number, max: number): Parse<number> =>
  (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? Number(text)
      : new SettingFault(`must be an integer from ${min} to ${max}`)
export const bigInteger: Parse<bigint> = (text) =>
  /^\d{1,30}$/.test(text) ? BigInt(text) : new SettingFault("must be an integer")
export const evmAddress: Parse<EvmAddress> = (text) =>
  /^0x[0-9a-fA-F]{40}$/.test(text)
    ? (text.toLowerCase() as EvmAddress)
    : new SettingFault("must be an EVM address, 0x and 40 hex digits")
export const origin: Parse<string> = (text) => {
  const url = URL.parse(text)
  return url && (url.protocol === "https:" || url.protocol === "http:") && url.origin === text
    ? text
    : new SettingFault("must be scheme://host[:port], lower case, without path or trailing slash")
}
/** Requests to this origin carry a secret. Plain http is allowed only for loopback. */
export const safeOrigin: Parse<string> = (text) => {
  const parsed = origin(text)
  if (parsed instanceof SettingFault) return parsed
  const { protocol, hostname } = new URL(parsed)
  return protocol === "https:" || isLoopbackName(hostname)
    ? parsed
    : new SettingFault("must be https; http is for loopback only")
}
export const httpUrl: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? text : new SettingFault("must be an http or https URL")
/** The path ends in a slash, because the files of the mirror lie below it. */
export const mirrorUrl: Parse<URL> = (text) => {
  const parsed = httpUrl(text)
  if (parsed instanceof SettingFault) return parsed
  const { username, password, search, hash } = new URL(parsed)
  if (username + password + search + hash !== "") {
    return new SettingFault("must have no user, password, query or fragment")
  }
  return new URL(parsed.endsWith("/") ? parsed : `${parsed}/`)
}
export const list: Parse<readonly string[]> = commaList
export const listOf =
  <T>(parse: Parse<T>): Parse<readonly T[]> =>
  (text) => {
    const values: T[] = []
    for (const part of commaList(text)) {
      const value = parse(part)
      if (value instanceof SettingFault) return value
      values.push(value)
    }
    return values
  }
/** Distinct slugs, so that each is a valid path segment (Interface: the channel is one of six). */
export const sixSlugs: Parse<Channels> = (text) => {
  const slugs = commaList(text)
  return slugs.length === 6 && new Set(slugs).size === 6 && slugs.every((slug) => SLUG.test(slug))
    ? { text, slugs }
    : new SettingFault(
        "must be six different comma-separated slugs: lower-case letters, digits and inner hyphens, at most 40 characters",
      )
}
const SLUG = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/
export const proxies: Parse<AddressList> = (text) => {
  const fault = addressListFault(text)
  return fault === null ? addressList(text) : new SettingFault(fault)
}
/** HOST:PORT, or the absolute path of a Unix socket with or without `unix:` before it. */
export const hostAndPortOrSocket: Parse<ListenAddress> = (text) => {
  if (text.startsWith("/") || text.startsWith(UNIX)) {
    return /^(unix:)?\/[^\0]*[^/\0]$/.test(text)
      ? listenAddress(text)
      : new SettingFault("must have the absolute path of a socket, as in unix:/run/bizauth/http.sock")
  }
  const port = /^(?:\[[0-9a-fA-F:]+\]|[^:\s]+):(\d{1,5})$/.exec(text)?.[1]
  if (port === undefined) return new SettingFault("must be HOST:PORT, or unix: and the absolute path of a socket")
  return Number(port) <= 65_535 ? listenAddress(text) : new SettingFault("must have a port from 0 to 65535")
}

/** The same with a host in lower case, which Host headers are compared with. */
export const ownHostAndPortOrSocket: Parse<ListenAddress> = (text) => {
  const parsed = hostAndPortOrSocket(text)
  return parsed instanceof SettingFault || parsed.kind === "unix"
    ? parsed
    : { ...parsed, host: parsed.host.toLowerCase() }
}

/** A setting that is on or off. Its fault names the default first. */
export function toggle<const D extends "on" | "off">(byDefault: D, help: string) {
  const onOrOff = oneOf(byDefault, byDefault === "on" ? "off" : "on")
  const parse: Parse<boolean> = (text) => {
    const word = onOrOff(text)
    return word instanceof SettingFault ? word : word === "on"
  }
  return { default: byDefault, help, parse } as const
}

/** What the text of a secret file must look like, without the white space around it. */
export interface SecretForm {
  readonly matches: RegExp
  /** What a file that differs does wrong: a sentence without its subject, which is the path. */
  readonly otherwise: string
}

/** A setting that names a file with a secret; `null` if it names none. `secretOf` reads the file. */
export function secret(help: string, form: SecretForm | null = null) {
  return { default: "", help, parse: optional(anyText), isSecret: true, form } as const
}
