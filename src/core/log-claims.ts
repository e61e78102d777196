/**
 * What the transparency log proves and does not prove (rulings 21). Every place where somebody could rely on the log shows these sentences.
 */

export const LOG_PROVES = [
  "The operator signed a checkpoint: one append-only sequence of leaves. Another history under the same origin is a signed contradiction once two checkpoints are compared.",
  "An inclusion path proves that a leaf is in the tree of a checkpoint; a consistency path, that a later tree begins with the earlier one.",
  "A map path proves that under the map root of a leaf an agent's newest event is the one shown, if the map was built honestly.",
  "An audit of all leaves proves that the map was built honestly: every map root follows from the leaves up to it.",
] as const

export const LOG_DOES_NOT_PROVE = [
  "That everybody is shown the same log: without witnesses an operator can show two people two histories. Compare checkpoints with others.",
  "That nothing newer exists: every answer is as of its checkpoint, and only its time tells how old that is.",
  "That an event was accepted at the time it names, or that an event was ever submitted and refused.",
  "That what is logged for an agent was signed by its keys: that takes its history, from a bundle or from the agent.",
  "Who an agent is, or anything its keys signed: leaves are digests, and what they are digests of is not in the log.",
] as const

export const AUDIT_PROVES = [
  "Every leaf up to the audited size was read: the tree built from them has the audited root.",
  "Every map root follows from the leaves up to it and no event is logged twice, so in this history no agent's newest event was hidden from the map or taken back to an earlier one.",
] as const
