import { Value } from "@sinclair/typebox/value"
import { Digest, Identifier } from "../../../schemas/common.ts"
import { Tolerance } from "../../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { keyOwner } from "../../core/key-owner.ts"
import { formatInstant } from "../../core/time.ts"
import { addOrganization, type NewMandateKey } from "../../store/buyers/buyer-registration.ts"
import type { Organization } from "../../store/buyers/buyers.ts"
import { type Command, DATA_FLAG, type Input } from "../command.ts"
import { openData } from "../inputs.ts"
import { textOf, VERIFICATION_FLAGS, verificationOf } from "./buyer-verification.ts"
import { readPublicKey } from "./mandate-key-file.ts"

const required = true

/** Screening would read only a part of a longer name. */
const LEGAL_NAME_MAX = 350

export const command: Command = {
  name: "buyers add",
  summary: "enter a buyer organization that was verified outside this service, with its mandate keys",
  operands: "",
  flags: {
    ...DATA_FLAG,
    organization: { help: "organization id, as requests and mandates name it", value: "ID", required },
    "legal-name": { help: "legal name", value: "NAME", required },
    digest: { help: "organization digest, sha256: and 64 hex digits", value: "DIGEST", required },
    ...VERIFICATION_FLAGS,
    "mandate-key": {
      help: "public key file(s) of the organization, comma-separated",
      value: "JWKFILES",
      required,
      repeats: true,
    },
    tolerance: { help: "LOW, MEDIUM or HIGH (default MEDIUM)", value: "TOLERANCE" },
  },
  examples: [
    `buyers add --data ./data --organization org:example --legal-name "Example Buyer Inc" --digest sha256:0f5b3a8bd4a6c1c0fe2b1f0a7bb1a3bb7fd0a1f4c26f5c1f9c1c1c9f0c0a7d11 --mandate-key ./org.key.pub --tolerance HIGH --verification-method "register extract and call back" --verification-reference "file 2026-014" --verified-at "$(date -u +%FT00:00:00Z)" --valid-until "$(date -u -d '+1 year' +%FT00:00:00Z)" --verified-by "J. Doe"`,
  ],
  async run(input) {
    const now = realMachine.now()
    const organization = organizationOf(input, now)
    const keys = input.list("mandate-key").map(newMandateKey)
    if (keys.length === 0) throw new CommandError(EXIT.USAGE, "--mandate-key names no file")
    const { store } = await openData(input)
    try {
      const outcome = await store.run(() => addOrganization(organization, keys, formatInstant(now)))
      if (outcome === "ORGANIZATION_EXISTS") {
        throw new CommandError(EXIT.INVALID, `${organization.organizationId} is entered already; nothing was changed`)
      }
      if (outcome === "KEY_TAKEN") throw keyTaken()
    } finally {
      await store.close()
    }
    const { organizationId, verification } = organization
    const keyIds = keys.map(({ keyId }) => keyId)
    input.result(
      { organization: organizationId, verified_until: verification.validUntil, keys: keyIds },
      `added  ${organizationId}, verified until ${verification.validUntil}\n${keyIds.map((id) => `key    ${id}\n`).join("")}`,
    )
    return EXIT.DONE
  },
}

export function newMandateKey(path: string): NewMandateKey {
  const { keyId, x } = readPublicKey(path)
  return { keyId, x, keyOwner: keyOwner(x) }
}

export function keyTaken(): CommandError {
  return new CommandError(
    EXIT.INVALID,
    "a mandate key is given twice, signs for an organization already, or is an agent's delegated key; nothing was changed",
  )
}

function organizationOf(input: Input, now: number): Omit<Organization, "state"> {
  const organizationId = input.need("organization")
  if (!Value.Check(Identifier, organizationId)) {
    throw new CommandError(EXIT.USAGE, "--organization must be 1 to 160 characters A-Z a-z 0-9 . _ : -")
  }
  const organizationDigest = input.need("digest")
  if (!Value.Check(Digest, organizationDigest)) {
    throw new CommandError(EXIT.USAGE, "--digest must be sha256: and 64 lower-case hex digits")
  }
  const tolerance = input.text("tolerance") ?? "MEDIUM"
  if (!Value.Check(Tolerance, tolerance)) throw new CommandError(EXIT.USAGE, "--tolerance must be LOW, MEDIUM or HIGH")
  return {
    organizationId,
    legalName: textOf(input, "legal-name", LEGAL_NAME_MAX),
    organizationDigest,
    tolerance,
    verification: verificationOf(input, now),
  }
}
