import { type Limit, row } from "./limit.ts"

/** Limits of the admin listener. */
export const ADMIN_LIMITS: readonly Limit[] = [
  row("requests to the admin listener in flight", "16", "ADMIN_REQUESTS_MAX", "src/admin/admin-requests.ts", "503"),
  row(
    "body of a request to the admin listener",
    "1 KiB",
    "BODY_BYTES_MAX",
    "src/admin/listen-admin.ts",
    "413 without a body, before any of our code",
  ),
  row(
    "path of the Unix socket of `listen` or `admin_listen`",
    "107 bytes",
    "SOCKET_PATH_BYTES_MAX",
    "src/base/unix-socket.ts",
    "`serve` does not start",
  ),
  row(
    "settling attempts that the metrics count",
    "1,000",
    "SETTLING_COUNTED_MAX",
    "src/store/payments/settling-age.ts",
    "the metric stays at this number",
  ),
]
