/** Signs what an organization says about its own suppliers, on the machine that holds its mandate key. */
import { serverOrigin } from "../../agent/service-call.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import {
  IDENTIFIER_FORMS,
  identifierKey,
  isIdentifierKind,
  readIdentifier,
} from "../../checks/us/supplier-identifiers.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { signValue } from "../../core/signer.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { type Command, JSON_FLAG } from "../command.ts"
import { writeNewFile } from "../documents/write-output.ts"
import { readMandateKey } from "./mandate-key-file.ts"
import { isStatement, STATEMENT_DAYS, statementFault } from "./supplier-statement.ts"

const required = true

export const command: Command = {
  name: "buyers sign-supplier",
  summary: "sign that identifiers, names and entity ids are one supplier of an organization, or no longer one",
  operands: "FILE",
  flags: {
    "organization-key": { help: "private mandate key file of buyers keygen", value: "FILE", required },
    organization: { help: "organization id", value: "ID", required },
    server: { help: "origin of the service", value: "URL", required },
    action: { help: "LINK or UNLINK", value: "ACTION", required },
    id: { help: "identifier as scheme:value: lei, uei, cage, cik or ein", value: "SCHEME:VALUE", repeats: true },
    name: { help: "legal name", value: "NAME", repeats: true },
    entity: { help: "entity id", value: "ID", repeats: true },
    ...JSON_FLAG,
  },
  examples: [
    "buyers sign-supplier ./one-supplier.json --organization-key ./org.key --organization org:example --server http://127.0.0.1:8402 --action LINK --id uei:ZQGGHJH74DW7 --id cage:1ABC2",
  ],
  async run(input) {
    const [file = ""] = input.operands
    const signer = readMandateKey(input.need("organization-key"), input.need("organization"))
    const now = realMachine.now()
    const content = {
      schema_version: "1.0.0",
      domain: "svc.supplier-identity.v1",
      audience: serverOrigin(input.need("server")),
      organization_id: signer.issuer,
      action: input.need("action"),
      keys: input.texts("id").map(keyOf),
      names: input.texts("name"),
      entity_ids: input.texts("entity"),
      issued_at: formatInstant(now),
      valid_until: formatInstant(now + STATEMENT_DAYS * DAY),
      nonce: encodeBase64url(realMachine.random(24)),
    }
    const statement = { ...content, signature: signValue(signer, content) }
    if (!isStatement(statement)) {
      throw new CommandError(EXIT.USAGE, `the statement would not be taken: ${statementFault(statement)}`)
    }
    writeNewFile(file, canonicalize(statement))
    const { action, valid_until: until } = content
    input.result(
      { file, action, valid_until: until },
      `signed  ${action}, until ${until}\nnext    give ${file} to the operator: bizauth buyers supplier ${file}\n`,
    )
    return EXIT.DONE
  },
}

function keyOf(text: string): string {
  const [, scheme = "", value = ""] = /^([a-z]+):(.+)$/.exec(text) ?? []
  const read = isIdentifierKind(scheme) ? readIdentifier(scheme, value) : null
  if (isIdentifierKind(scheme) && read !== null) return identifierKey({ kind: scheme, value: read })
  const forms = Object.entries(IDENTIFIER_FORMS).map(([kind, form]) => `${kind}: ${form}`)
  throw new CommandError(EXIT.USAGE, `--id ${text} is no scheme:value; ${forms.join("; ")}`)
}
