import { basename } from "node:path"
import { CommandError, EXIT } from "../../base/exit.ts"
import { readSecretKey, type SecretReleaseKey, signFile } from "../../release/minisign.ts"
import type { Command } from "../command.ts"
import { readDocumentBytes } from "../documents/read-document.ts"
import { requireNewFile, writeNewFile } from "../documents/write-output.ts"
import { readSecret } from "../read-secret.ts"
import { readingMinisign } from "./reading-minisign.ts"

export const command: Command = {
  name: "release sign",
  summary: "sign the sums of a release, on the machine that has the release key",
  operands: "FILE",
  flags: {
    key: { help: "secret key file of release keygen", value: "KEY", required: true },
    comment: { help: "one line that the signature covers, such as the version (default file:FILE)", value: "TEXT" },
  },
  examples: ['release sign ./release/SHA256SUMS --key ./release.key --comment "bizauth 1.0.0"'],
  async run(input) {
    const [path = "-"] = input.operands
    if (path === "-")
      throw new CommandError(EXIT.USAGE, "FILE must be a file, because its signature gets the name FILE.minisig")
    const signaturePath = `${path}.minisig`
    requireNewFile(signaturePath)
    const key = keyIn(input.need("key"))
    const comment = input.text("comment") ?? `file:${basename(path)}`
    const content = await readDocumentBytes(path)
    const text = readingMinisign("--comment", EXIT.USAGE, () => signFile(key, content, comment))
    writeNewFile(signaturePath, text)
    input.result(
      { key_id: key.id, comment, signature_file: signaturePath },
      `signed by ${key.id}: ${comment}\nsignature   ${signaturePath}\n`,
    )
    return EXIT.DONE
  },
}

function keyIn(path: string): SecretReleaseKey {
  const text = new TextDecoder().decode(readSecret(path))
  return readingMinisign(path, EXIT.INVALID, () => readSecretKey(text))
}
