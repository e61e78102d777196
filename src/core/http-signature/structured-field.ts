/**
 * Reads structured header fields (RFC 9651) of the kinds that an HTTP message signature uses: a dictionary of inner lists, byte sequences
 * and other bare items, each with parameters. Strict: any other text is no field, and a key that occurs twice is reported, not overwritten.
 */
import { decodeBase64 } from "../bytes.ts"

/** A token is distinct from a string, because `alg=ed25519` and `alg="ed25519"` are different fields. */
export type BareItem = string | number | boolean | Uint8Array | { readonly token: string }
/** In the order of the text. */
type Parameters = readonly (readonly [name: string, value: BareItem])[]

export interface Item {
  readonly value: BareItem
  readonly parameters: Parameters
}

export interface InnerList {
  readonly items: readonly Item[]
  readonly parameters: Parameters
}

export type Member = Item | InnerList
/** In the order of the text. A name may occur twice: the reader of a field decides what that means. */
export type Dictionary = readonly (readonly [name: string, member: Member])[]

/** A header line that is longer is not read. */
const FIELD_CHARACTERS_MAX = 4096

class NotAField extends Error {}

/** Returns the members of a dictionary, or null for text that is none. An empty text is none. */
export function readDictionary(text: string): Dictionary | null {
  if (text.length > FIELD_CHARACTERS_MAX) return null
  const reader = new Reader(text)
  try {
    return reader.dictionary()
  } catch (error) {
    if (error instanceof NotAField) return null
    throw error
  }
}

class Reader {
  private at = 0

  constructor(private readonly text: string) {}

  dictionary(): Dictionary {
    const members: [string, Member][] = []
    this.skip(/ */y)
    do {
      const name = this.need(/[a-z*][a-z0-9_.*-]*/y)
      members.push([name, this.take("=") ? this.member() : { value: true, parameters: this.parameters() }])
      this.skip(/[ \t]*/y)
    } while (this.comma())
    if (this.at < this.text.length) throw new NotAField()
    return members
  }

  /** A comma must be followed by another member. */
  private comma(): boolean {
    if (!this.take(",")) return false
    this.skip(/[ \t]*/y)
    return true
  }

  private member(): Member {
    return this.take("(") ? this.innerList() : this.item()
  }

  private innerList(): InnerList {
    const items: Item[] = []
    for (;;) {
      this.skip(/ */y)
      if (this.take(")")) return { items, parameters: this.parameters() }
      items.push(this.item())
      if (!/[ )]/.test(this.text[this.at] ?? "")) throw new NotAField()
    }
  }

  private item(): Item {
    return { value: this.bareItem(), parameters: this.parameters() }
  }

  private parameters(): Parameters {
    const parameters: [string, BareItem][] = []
    while (this.take(";")) {
      this.skip(/ */y)
      const name = this.need(/[a-z*][a-z0-9_.*-]*/y)
      parameters.push([name, this.take("=") ? this.bareItem() : true])
    }
    return parameters
  }

  private bareItem(): BareItem {
    const next = this.text[this.at] ?? ""
    if (next === '"')
      return this.need(/"(?:[ !#-[\]-~]|\\["\\])*"/y)
        .slice(1, -1)
        .replace(/\\(.)/g, "$1")
    if (next === ":") return this.bytes()
    if (next === "?") return this.need(/\?[01]/y) === "?1"
    if (/[-0-9]/.test(next)) return Number(this.need(/-?[0-9]{1,15}(?![0-9.])/y))
    return { token: this.need(/[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y) }
  }

  private bytes(): Uint8Array {
    const bytes = decodeBase64(this.need(/:[A-Za-z0-9+/]*={0,2}:/y).slice(1, -1))
    if (!bytes) throw new NotAField()
    return bytes
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  private skip(pattern: RegExp): void {
    this.need(pattern)
  }

  /** `pattern` is sticky. */
  private need(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found === undefined) throw new NotAField()
    this.at += found.length
    return found
  }
}
