/** For which processors and systems a release has a file, and the runtime of each: a package of npm that this table pins. */
export interface Target {
  /** Part of the archive's name. */
  readonly name: string
  /** As Bun names it; `version` prints it. */
  readonly compiledFor: string
  /** Package whose file `bin/bun` is the runtime. */
  readonly runtime: string
  /** `dist.integrity` of its version {@link BUN_VERSION} in the npm registry. */
  readonly integrity: `sha512-${string}`
}

export const BUN_VERSION = "1.4.4"

export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    compiledFor: "bun-linux-x64",
    runtime: "@oven/bun-linux-x64",
    integrity: "sha512-CHbbkmHVM28T1GFq+6GL4Ao4ujwwYwj1CxFFwEFzLanPfNsId9AhbIP0Q4reWuWBkGimUkoQygrK7Rgjtj3vog==",
  },
  {
    name: "linux-x64-baseline",
    compiledFor: "bun-linux-x64-baseline",
    runtime: "@oven/bun-linux-x64-baseline",
    integrity: "sha512-FBU6T21NT+i+rESbi0Z8A8G5xN51c+WZ0v6pIjI6szSzOlqVNv64nf7FPnwNIyxKD1M7Wg5cEobLC/QbzCeLtA==",
  },
  {
    name: "linux-arm64",
    compiledFor: "bun-linux-arm64",
    runtime: "@oven/bun-linux-aarch64",
    integrity: "sha512-ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==",
  },
  {
    name: "linux-x64-musl",
    compiledFor: "bun-linux-x64-musl",
    runtime: "@oven/bun-linux-x64-musl",
    integrity: "sha512-lEEjNOJJrbGZu2NVcPI4uXdILcpspezWkA8R/Jr0RCGhM6zQd0Y7JBIIKNAmbX59EeWpeEz7Q78iLbpcAUypUA==",
  },
  {
    name: "linux-x64-musl-baseline",
    compiledFor: "bun-linux-x64-musl-baseline",
    runtime: "@oven/bun-linux-x64-musl-baseline",
    integrity: "sha512-hlAPq5jIndGITsca7kUL/jB53hPSq5wEOEHSe36Z7GnUAiCTJn3aS5JBzmYXO1lLK7gt1vRxUF2Bk6WhelIfxw==",
  },
  {
    name: "linux-arm64-musl",
    compiledFor: "bun-linux-arm64-musl",
    runtime: "@oven/bun-linux-aarch64-musl",
    integrity: "sha512-QFd0P+mHJxbZFbUla4MgiE5OwxysHaUIYxL2pPNkpWtaI7v4ShOpr8OhBmsuyB0xn5rv/ZJnPsj2y8+bB9+g/A==",
  },
  {
    name: "macos-x64",
    compiledFor: "bun-darwin-x64",
    runtime: "@oven/bun-darwin-x64",
    integrity: "sha512-oKGcxLsvh4oHjAo28nPm8c/xN0o/OmGyj1IHYc94vprkWsW2hNg2keEZt5f40cI5Hvu4jDlSRTR0UNpv1UIAxw==",
  },
  {
    name: "macos-arm64",
    compiledFor: "bun-darwin-arm64",
    runtime: "@oven/bun-darwin-aarch64",
    integrity: "sha512-zW/hxwc8sJAILGwB5eTC4i48ouGXf0V4lrxmEOk3JIE6JkYVW1TZh1E2pIempqsezgW1sckTIIDudFON8bJ2Mw==",
  },
]
