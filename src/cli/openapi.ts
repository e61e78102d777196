import { version } from "../../package.json"
import { originOf } from "../base/config.ts"
import { EXIT } from "../base/exit.ts"
import { openapiText } from "../discovery/openapi/document.ts"
import { operationTable } from "../discovery/operations.ts"
import { SERVED_NETWORK } from "../payments/networks/networks.ts"
import { type Command, OPTIONAL_DATA_FLAG } from "./command.ts"
import { writeNewFile } from "./documents/write-output.ts"
import { CONFIG_FLAGS, readSettings } from "./inputs.ts"

/** Offline and without a data directory: the operations are part of the program. */
export const command: Command = {
  name: "openapi",
  summary: "print the OpenAPI document that a server with these settings serves",
  operands: "",
  flags: { ...CONFIG_FLAGS, ...OPTIONAL_DATA_FLAG, out: { help: "new file (default standard output)", value: "FILE" } },
  examples: ["openapi --out ./openapi.json"],
  async run(input) {
    const { config } = readSettings(input)
    const text = openapiText({
      baseUrl: originOf(config),
      issuerName: config.issuer_name,
      operations: operationTable(config.agent_id_channels.slugs, config.acp_channel, config.agent_mode_planning),
      network: SERVED_NETWORK.asset.network,
      version,
    })
    const out = input.text("out")
    if (out === undefined) input.out(text)
    else writeNewFile(out, new TextEncoder().encode(text))
    return EXIT.DONE
  },
}
