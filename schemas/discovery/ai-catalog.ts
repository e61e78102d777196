/** A catalogue that is valid under both published forms: the one of the Agent Card group and the JSON Schema of ARD. */
import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"

const Text = Type.String({ minLength: 1 })

const TrustManifest = closed({
  identity: Text,
  identityType: Type.Literal("https"),
  attestations: Type.Array(closed({ type: Text, uri: Text, mediaType: Text }), { minItems: 1 }),
})

const CatalogEntry = closed({
  identifier: Type.String({ pattern: "^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$" }),
  displayName: Text,
  type: Type.String({ description: "Media type of the document at `url`" }),
  url: Text,
  description: Text,
  tags: Type.Array(Text),
  trustManifest: Type.Optional(TrustManifest),
})
export type CatalogEntry = Static<typeof CatalogEntry>

export const AiCatalog = closed(
  {
    specVersion: Type.Literal("1.0"),
    host: closed({ displayName: Text, documentationUrl: Type.Optional(Text) }),
    entries: Type.Array(CatalogEntry),
  },
  { $id: "AiCatalog" },
)
export type AiCatalog = Static<typeof AiCatalog>
