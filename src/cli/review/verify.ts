import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { readVerifierKey } from "../../core/checkpoint.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { sha256 } from "../../core/sha256.ts"
import { judgedAt } from "../../offline/given/verify-terms.ts"
import { verifyReviewExport } from "../../offline/kinds/review/review-export.ts"
import { EXIT_OF_VERDICT } from "../../offline/words/exit-codes.ts"
import { judged, textReport } from "../../offline/words/verdict-text.ts"
import type { Command, Input } from "../command.ts"
import { readDocumentBytes, readIssuerFile } from "../documents/read-document.ts"
import { AT_FLAG } from "../documents/verify-flags.ts"
import { jsonReport } from "../documents/verify-report.ts"

/** Offline: no import of this file can use a network, and no data directory is opened. */
export const command: Command = {
  name: "review verify",
  summary: "verify an export of review records offline: chain, passkeys, policy, judgements and leaves of the log",
  operands: "FILE",
  flags: {
    issuer: { help: "JWK set of the issuer, obtained separately from the export", value: "JWKS", required: true },
    "log-key": { help: "verifier key of the log, obtained separately from the export", value: "VKEY" },
    record: {
      help: "digest of a record that must be in the export, from a reviewer's receipt; may be repeated",
      value: "DIGEST",
      repeats: true,
    },
    ...AT_FLAG,
    json: { help: "machine-readable output, version 2" },
  },
  examples: [
    'review verify ./reviews.json --issuer ./issuer.jwks.json --log-key "$(bizauth keys export --use log --data ./data)"',
  ],
  run: async (input) => {
    const [path = "-"] = input.operands
    const now = realMachine.now()
    const at = judgedAt(input.text("at"), now)
    const [logKey, records] = [logKeyOf(input), recordsOf(input)]
    const keys = await readIssuerFile(input.need("issuer"))
    const given = { bytes: await readDocumentBytes(path), keys, crypto: NATIVE_CRYPTO, at, reformatted: false }
    const answer = judged(verifyReviewExport({ ...given, logKey, records }), {}, { at, now })
    input.out(input.on("json") ? jsonReport(answer) : textReport(answer))
    return EXIT_OF_VERDICT[answer.judgement.verdict]
  },
}

function logKeyOf(input: Input) {
  const text = input.text("log-key")
  if (text === undefined) return null
  const key = readVerifierKey(sha256, text.trim())
  if (key) return key
  throw new CommandError(EXIT.USAGE, "--log-key must be a verifier key: name+hash+key as in c2sp.org/signed-note")
}

function recordsOf(input: Input): readonly string[] {
  const given = input.texts("record")
  if (given.every((digest) => /^sha256:[0-9a-f]{64}$/.test(digest))) return given
  throw new CommandError(EXIT.USAGE, "--record is the digest of a record: sha256: and 64 hex characters")
}
