/**
 * In the client module in place of `core/sensitive/open-value.ts`: the private keys that a caller may put into a request by mistake. The
 * service searches for every other secret and refuses it.
 */
interface Fault {
  readonly pointer: string
  readonly kind: "PRIVATE_KEY_MATERIAL"
}

export function searchOpen(value: unknown, faults: Fault[], pointer = ""): void {
  const isKey =
    typeof value === "string"
      ? value.includes("PRIVATE KEY-----")
      : typeof value === "object" && value !== null && "kty" in value && "d" in value
  if (isKey) faults.push({ pointer, kind: "PRIVATE_KEY_MATERIAL" })
  else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) searchOpen(member, faults, `${pointer}/${name}`)
  }
}
