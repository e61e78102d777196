/** Finds secrets in a value of any form: each text, each name and each JWK, at any depth. No schema says what its texts are. */
import { isPrivateKey } from "../secrets/private-key-value.ts"
import { findInText, type SensitiveFault } from "./find-in-text.ts"
import { below, belowChosen, type Place, WHOLE } from "./place.ts"

const SECRETS = { bankData: false }

/** Appends at most one fault for each object, list and text. The strict reader has already limited the depth. */
export function searchOpen(value: unknown, faults: SensitiveFault[], at = WHOLE): void {
  if (typeof value === "string") note(value, at, faults)
  else if (Array.isArray(value)) searchItems(value, faults, at)
  else if (typeof value === "object" && value !== null) searchMembers(value, faults, at)
}

function searchItems(items: readonly unknown[], faults: SensitiveFault[], at: Place): void {
  const { length } = faults
  if (isPrivateKey(items)) add({ pointer: at.pointer, kind: "PRIVATE_KEY_MATERIAL" }, faults)
  for (const [index, item] of items.entries()) searchOpen(item, faults, below(at, index))
  if (faults.length === length) note(items.filter((item) => typeof item === "string").join(", "), at, faults)
}

/** A name and the text under it are also one text, because a name can say what the text is. */
function searchMembers(value: object, faults: SensitiveFault[], at: Place): void {
  if (isPrivateKey(value)) add({ pointer: at.pointer, kind: "PRIVATE_KEY_MATERIAL" }, faults)
  const { length } = faults
  let texts = ""
  for (const [name, member] of Object.entries(value)) {
    const inside = belowChosen(at, name)
    if (typeof member === "string") {
      note(`${name}: ${member}`, inside, faults)
      texts += `${member}, `
    } else {
      note(name, at, faults)
      searchOpen(member, faults, inside)
    }
  }
  if (faults.length === length) note(texts, at, faults)
}

function note(text: string, { pointer }: Place, faults: SensitiveFault[]): void {
  const kind = findInText(text, undefined, SECRETS)
  if (kind !== null) add({ pointer, kind }, faults)
}

function add(fault: SensitiveFault, faults: SensitiveFault[]): void {
  if (!faults.some(({ pointer }) => pointer === fault.pointer)) faults.push(fault)
}
