/** The public transparency log: checkpoint, tiles and proofs. No request names an agent or a key. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime } from "../common.ts"
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"

const Hash = Type.String({ pattern: "^[A-Za-z0-9+/]{43}=$", description: "32 bytes, base64" })
const Size = Type.Integer({ minimum: 0 })
const Position = Type.String({ pattern: "^(0|[1-9][0-9]{0,15})$" })
const Sentences = Type.Array(Type.String(), { minItems: 1 })

export const LogDescriptor = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    origin: Type.String({ description: "First line of every checkpoint, and name of its key" }),
    earlier_origins: Type.Optional(
      Type.Array(
        closed({
          origin: Type.String(),
          tree_size: Size,
          root_hash: Hash,
          replaced_at: DateTime,
          why: Type.String(),
        }),
        { description: "Earlier names of the log, oldest first, with the tree at each change" },
      ),
    ),
    verifier_keys: Type.Array(
      Type.String({ description: "C2SP verifier key. Pin it, because this document does not prove it" }),
      {
        minItems: 1,
        description: "Keys that sign or have signed checkpoints; the current one is first",
      },
    ),
    checkpoint_uri: Type.String(),
    tile_uri_prefix: Type.String({
      description: "Followed by L/N, L/N.p/W, entries/N or entries/N.p/W as in c2sp.org/tlog-tiles",
    }),
    inclusion_uri_template: Type.String(),
    consistency_uri_template: Type.String(),
    hash: Type.Literal("SHA-256"),
    tree: Type.Literal("RFC6962"),
    leaf: closed({
      bytes: Type.Literal(96),
      framing: Type.Literal("In entries tiles two bytes of length, most significant first, before each leaf"),
      key_event: Type.String(),
      artifact: Type.String(),
      capsule: Type.String(),
    }),
    map: closed({ key: Type.String(), empty: Type.String(), entry: Type.String(), branch: Type.String() }),
    proves: Sentences,
    does_not_prove: Sentences,
    next_machine_action: Type.Literal("PIN_VERIFIER_KEY_AND_READ_CHECKPOINT"),
  },
  { $id: "LogDescriptor" },
)
export type LogDescriptor = Static<typeof LogDescriptor>

export const LogInclusionProof = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    log_index: Size,
    tree_size: Size,
    leaf_data: Type.String({ pattern: "^[A-Za-z0-9+/]{128}$", description: "96 bytes, base64" }),
    inclusion_path: Type.Array(Hash, { description: "Leaf to root" }),
  },
  { $id: "LogInclusionProof" },
)
export type LogInclusionProof = Static<typeof LogInclusionProof>

export const LogConsistencyProof = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    from_tree_size: Size,
    to_tree_size: Size,
    consistency_path: Type.Array(Hash),
  },
  { $id: "LogConsistencyProof" },
)
export type LogConsistencyProof = Static<typeof LogConsistencyProof>

const read = {
  method: "GET",
  body: undefined,
  ...FREE,
  cors: "PUBLIC",
  // An audit of a million leaves reads four thousand tiles.
  rateLimit: { group: "agent-id-log", perMinute: 1200 },
} as const
const notThatLong = problem("The log does not reach that far yet")
const noPosition = problem("A position is not a decimal number, or lies outside its tree")

export const readLogDescriptor = operation({
  id: "GetTransparencyLog",
  path: "/v1/agent-id/log",
  summary: "Origin and keys of the transparency log, its formats, what it proves and what it does not",
  responses: { 200: { description: "Descriptor", schema: LogDescriptor } },
  ...read,
})

export const readLogCheckpoint = operation({
  id: "GetTransparencyLogCheckpoint",
  path: "/v1/agent-id/log/checkpoint",
  summary: "Signed note of the current tree (C2SP tlog-checkpoint)",
  responses: {
    200: { description: "Signed note", mediaType: "text/plain; charset=utf-8" },
    304: { description: "The checkpoint with that ETag is current" },
    503: problem("The log key has expired"),
  },
  ...read,
})

export const readLogTile = operation({
  id: "GetTransparencyLogTile",
  path: "/v1/agent-id/log/tile/*",
  summary: "Hashes or entries of the log (C2SP tlog-tiles): L/N, L/N.p/W, entries/N, entries/N.p/W",
  responses: {
    200: { description: "Tile; it never changes", mediaType: "application/octet-stream" },
    304: { description: "The tile with that ETag; it never changes" },
    404: notThatLong,
    422: problem("Not the name of a tile"),
  },
  ...read,
})

export const readLogInclusion = operation({
  id: "GetTransparencyLogInclusion",
  path: "/v1/agent-id/log/inclusion/{index}/{size}",
  parameters: { index: Position, size: Position },
  summary: "Proof that the leaf with that index is in the tree of that size",
  responses: {
    200: { description: "Proof; it never changes", schema: LogInclusionProof },
    404: notThatLong,
    422: noPosition,
  },
  ...read,
})

export const readLogConsistency = operation({
  id: "GetTransparencyLogConsistency",
  path: "/v1/agent-id/log/consistency/{from}/{to}",
  parameters: { from: Position, to: Position },
  summary: "Proof that the later tree begins with the earlier one",
  responses: {
    200: { description: "Proof; it never changes", schema: LogConsistencyProof },
    404: notThatLong,
    422: noPosition,
  },
  ...read,
})
