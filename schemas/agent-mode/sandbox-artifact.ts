/**
 * A document of the sandbox in its wrapper. Only the sandbox key signs it, and only the sandbox accepts it: its domain, issuer and
 * environment differ from those of every live document.
 */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, signedDocument } from "../common.ts"
import { Word } from "./notation.ts"

export const SandboxArtifactPayload = closed({
  domain: Type.Literal("svc.sandbox.artifact.v1"),
  schema_version: Type.Literal("1.0.0"),
  issuer: Type.String({
    pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]{0,159}:sandbox$",
    description: "The issuer id of the service, and `:sandbox`",
  }),
  synthetic: Type.Literal(true),
  environment: Type.Literal("SANDBOX"),
  journey: Word,
  seed: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  clock: DateTime,
  artifact_type: Word,
  document: Type.Object(
    {},
    { description: "The synthetic document; its own signatures are made by keys that anyone can make" },
  ),
})
export type SandboxArtifactPayload = Static<typeof SandboxArtifactPayload>

/** `digest` = digest(C14N(payload)); `signature` is Ed25519 over C14N(payload) by the sandbox key. */
export const SandboxArtifact = signedDocument(SandboxArtifactPayload, { $id: "SandboxArtifact" })
export type SandboxArtifact = Static<typeof SandboxArtifact>
