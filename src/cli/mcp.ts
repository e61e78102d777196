import { agentMcp } from "../../schemas/discovery/mcp.ts"
import { inputLines } from "../agent/input-lines.ts"
import { runBridge } from "../agent/mcp-bridge.ts"
import { sendOverNetwork, serverOrigin } from "../agent/service-call.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { isLoopbackName } from "../base/loopback.ts"
import type { Command } from "./command.ts"

/** More than the service accepts, so that the service names its own limit. */
const LINE_BYTES_MAX = 1024 * 1024

export const command: Command = {
  name: "mcp",
  summary:
    "let a local program use the MCP endpoint of a remote service over stdin and stdout; holds no key, never pays",
  operands: "",
  flags: {
    server: { help: "origin of the service, https except on this machine", value: "URL", required: true },
    sets: { help: "sets of tools to list beside the default ones, comma-separated", value: "NAMES" },
  },
  examples: ["mcp --server http://127.0.0.1:8402", "mcp --server http://127.0.0.1:8402 --sets identity,sandbox"],
  async run(input) {
    const server = serverOrigin(input.need("server"))
    if (!isPrivate(new URL(server))) {
      throw new CommandError(EXIT.USAGE, "the server must be an https URL; http is for this machine only")
    }
    const sets = input.text("sets")
    await runBridge({
      send: sendOverNetwork,
      url: `${server}${agentMcp.path}${sets === undefined ? "" : `?${new URLSearchParams({ sets })}`}`,
      lines: inputLines(process.stdin, LINE_BYTES_MAX),
      write: (line) => input.outTaken(`${line}\n`),
    })
    return EXIT.DONE
  },
}

/** Nobody on the way can read or change what is sent. */
function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || isLoopbackName(hostname)
}
