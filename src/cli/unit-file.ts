/** The systemd unit of a server. `docs/operate.md` explains it; this is its only text. */
import { REFUSED_NAMES } from "./environment-variables.ts"

/** The unit makes both. */
export const RUNTIME_FOLDER = "/run/bizauth"
export const LOGS_FOLDER = "/var/log/bizauth"

interface UnitParts {
  /** Absolute path of the compiled file. */
  readonly program: string
  readonly user: string
  /** Absolute. */
  readonly data: string
  /** Absolute; null for the file in the data directory. */
  readonly config: string | null
  /** Absolute paths of other folders that the service writes: backups, sockets, the access log. */
  readonly written: readonly string[]
  /** Secret files that systemd hands to the service: name of the setting, and absolute path. */
  readonly credentials: readonly { readonly setting: string; readonly path: string }[]
}

/** Hardening that the service was run under. `@privileged` has `fchown`, which SQLite calls only as root. */
const HARDENING = `UMask=0077
LimitNOFILE=65536
# A dump of the memory would hold the keys.
LimitCORE=0
MemorySwapMax=0
# No MemoryDenyWriteExecute: it silently disables the just-in-time compiler.
NoNewPrivileges=true
CapabilityBoundingSet=
AmbientCapabilities=
DevicePolicy=closed
LockPersonality=true
PrivateDevices=true
PrivateMounts=true
PrivateTmp=true
PrivateUsers=true
ProcSubset=pid
ProtectClock=true
ProtectControlGroups=true
ProtectHome=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=true
RestrictRealtime=true
RestrictSUIDSGID=true
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM`

export function unitFile({ program, user, data, config, written, credentials }: UnitParts): string {
  const settings = [
    `BIZAUTH_DATA=${data}`,
    ...(config === null ? [] : [`BIZAUTH_CONFIG=${config}`]),
    // %d is the folder of the credentials.
    ...credentials.map(({ setting }) => `BIZAUTH_${setting.toUpperCase()}=%d/${setting}`),
  ]
  return `[Unit]
Description=Business Authorization Service
After=network-online.target
Wants=network-online.target

[Service]
# \`serve\` says when it listens. A migration may take long, so the start has no limit.
Type=notify
NotifyAccess=main
TimeoutStartSec=infinity
# A process whose event loop hangs is ended and started again. It could not handle SIGABRT, and the runtime would report a bug of its own.
WatchdogSec=120
WatchdogSignal=SIGKILL
User=${user}
Group=${user}
${settings.map((one) => `Environment=${one}\n`).join("")}${credentials
  .map(({ setting, path }) => `LoadCredential=${setting}:${path}\n`)
  .join("")}UnsetEnvironment=${[...REFUSED_NAMES, "NODE_OPTIONS"].join(" ")}
# Not \`bizauth check\`: it exits with 8 for a stale list, and the unit would restart for ever.
ExecStartPre=${program} config check
ExecStart=${program} serve
Restart=on-failure
RestartSec=2
TimeoutStopSec=30
KillSignal=SIGTERM
WorkingDirectory=${data}
RuntimeDirectory=bizauth
LogsDirectory=bizauth
LogsDirectoryMode=0750
ReadWritePaths=${[data, ...written].join(" ")}
${HARDENING}

[Install]
WantedBy=multi-user.target
`
}
