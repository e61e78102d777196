/** How the MCP server names itself. `server/discover`, `initialize` and the server card say the same. */
export interface McpServerInfo {
  /** Reverse host name, a slash and the name of the server. */
  readonly name: string
  readonly title: string
  readonly version: string
}

/** `version` is that of the program. */
export function mcpServerInfo(baseUrl: string, version: string): McpServerInfo {
  return {
    name: `${namespaceOf(new URL(baseUrl).hostname)}/business-authorization`,
    title: "Business Authorization Service",
    version,
  }
}

/** Turns `svc.example` into `example.svc`. An IP address keeps its order. A character that a name may not have becomes a hyphen. */
function namespaceOf(hostname: string): string {
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith("[")
  const ordered = isAddress ? hostname : hostname.split(".").reverse().join(".")
  return ordered.replace(/[^a-zA-Z0-9.-]/g, "-")
}
