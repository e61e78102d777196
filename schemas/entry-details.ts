import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration } from "./common.ts"

const Text = Type.String()
const Texts = Type.Optional(Type.Array(Text))

/** A text of the publisher under the publisher's own name for it, such as the title of its column. */
const Labelled = closed({ label: Text, text: Text })
export type Labelled = Static<typeof Labelled>
const LabelledTexts = Type.Optional(Type.Array(Labelled))

/** `number` is the publisher's number of this record; `note` is what else the publisher says of it. */
const noted = { number: Type.Optional(Text), note: Type.Optional(Text) }

const Printed = closed({ text: Text, ...noted })
export type Printed = Static<typeof Printed>
const PrintedTexts = Type.Optional(Type.Array(Printed))

/** NOT_STATED: the publisher does not grade this name. */
const NameQuality = enumeration("STRONG", "WEAK", "NOT_STATED")

export const DetailedName = closed({
  text: Text,
  kind: enumeration("primary", "alias", "former", "native"),
  quality: NameQuality,
  ...noted,
})
export type DetailedName = Static<typeof DetailedName>

const DetailedIdentifier = closed({
  label: Text,
  value: Text,
  country: Type.Optional(Text),
  issued: Type.Optional(Text),
  expires: Type.Optional(Text),
  ...noted,
})
export type DetailedIdentifier = Static<typeof DetailedIdentifier>

const detailMembers = {
  source_id: Text,
  entry_id: Text,
  /** The publisher's words. */
  type: Texts,
  list: Texts,
  /** When the import ran that no longer had the entry. Absent for an entry on the list. */
  removed_at: Type.Optional(DateTime),
  names: Type.Array(DetailedName),
  title: Texts,
  programs: Texts,
  measures: LabelledTexts,
  births: PrintedTexts,
  birth_places: PrintedTexts,
  nationalities: PrintedTexts,
  citizenships: PrintedTexts,
  gender: Texts,
  identifiers: Type.Optional(Type.Array(DetailedIdentifier)),
  addresses: PrintedTexts,
  contacts: LabelledTexts,
  vessel: LabelledTexts,
  /** Parties that the publisher names beside this one: owners, parents, groups. */
  linked_to: LabelledTexts,
  listing: Type.Optional(
    closed({
      from: Type.Optional(Text),
      updated: Type.Optional(Text),
      until: Type.Optional(Text),
      by: Type.Optional(Text),
    }),
  ),
  /** The publisher's rows that were joined into this entry: for each the cells that no other member holds. */
  records: Type.Optional(Type.Array(Type.Array(Labelled))),
  references: LabelledTexts,
  /** The publisher's own page about the entry, by a fixed rule; never an address from the file. */
  link: Type.Optional(Text),
  /** Whole, also where other members repeat a part of them. */
  remarks: LabelledTexts,
}

/**
 * What the publisher prints about one listed entry, as it prints it: texts are not normalised, and entities such as `&amp;` are decoded once.
 * A member without content is absent.
 */
const AnyEntryDetails = closed(detailMembers)
export type EntryDetails = Static<typeof AnyEntryDetails>

/** Number of left out items of each member; for `remarks` the number of left out characters. */
const Truncated = closed({
  addresses: Type.Optional(Type.Integer({ minimum: 1 })),
  names: Type.Optional(Type.Integer({ minimum: 1 })),
  records: Type.Optional(Type.Integer({ minimum: 1 })),
  remarks: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type Truncated = Static<typeof Truncated>

/** An entry as the facts of an answer keep it, cut to a length. */
export const StoredEntry = closed({
  /** The version of the reader that read the publisher's files. */
  details_version: Text,
  ...detailMembers,
  truncated: Type.Optional(Truncated),
})
export type StoredEntry = Static<typeof StoredEntry>
