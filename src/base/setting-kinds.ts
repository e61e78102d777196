/** Checks of single settings. Each returns why the value is wrong, or null. */
import { commaList } from "../core/text/comma-list.ts"
import { isLoopbackName } from "./loopback.ts"

export const oneOf =
  (...values: string[]) =>
  (value: string) =>
    values.includes(value) ? null : `must be one of ${values.join(", ")}`
export const integer = (min: number, max: number) => (value: string) =>
  /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
    ? null
    : `must be an integer from ${min} to ${max}`
export const optional = (check: (value: string) => string | null) => (value: string) =>
  value === "" ? null : check(value)
export const anything = () => null
export const address = (value: string) =>
  /^0x[0-9a-fA-F]{40}$/.test(value) ? null : "must be an EVM address, 0x and 40 hex digits"
export const origin = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : null
  return url && (url.protocol === "https:" || url.protocol === "http:") && url.origin === value
    ? null
    : "must be scheme://host[:port], lower case, without path or trailing slash"
}
/** Requests to this origin carry a secret. Plain http is allowed only for loopback. */
export const safeOrigin = (value: string) => {
  if (origin(value) !== null) return origin(value)
  const { protocol, hostname } = new URL(value)
  return protocol === "https:" || isLoopbackName(hostname) ? null : "must be https; http is for loopback only"
}
export const httpUrl = (value: string) =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? null : "must be an http or https URL"
export const mirrorUrl = (value: string) => {
  const fault = httpUrl(value)
  if (fault !== null) return fault
  const { username, password, search, hash } = new URL(value)
  return username + password + search + hash === "" ? null : "must have no user, password, query or fragment"
}
/** Distinct slugs, so that each is a valid path segment (Interface: the channel is one of six). */
export const sixSlugs = (value: string) => {
  const slugs = commaList(value)
  return slugs.length === 6 && new Set(slugs).size === 6 && slugs.every((slug) => SLUG.test(slug))
    ? null
    : "must be six different comma-separated slugs: lower-case letters, digits and inner hyphens, at most 40 characters"
}
const SLUG = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/
export const channelSlug = (value: string) =>
  /^[a-z][a-z0-9-]{0,31}$/.test(value) ? null : "must be a lower-case letter and at most 31 letters, digits and hyphens"
export const publicKeys = (value: string) =>
  commaList(value).every((key) => /^[A-Za-z0-9_-]{43}$/.test(key))
    ? null
    : "must be comma-separated Ed25519 public keys of 43 base64url characters"
export const listen = (value: string) => {
  const port = /^(?:\[[0-9a-fA-F:]+\]|[^:\s]+):(\d{1,5})$/.exec(value)?.[1]
  if (port === undefined) return "must be HOST:PORT"
  return Number(port) <= 65_535 ? null : "must have a port from 0 to 65535"
}
