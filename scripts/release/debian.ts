/** A Debian package of one target: the program, its unit as a configuration file, and a system user. Needs `dpkg-deb`. */
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { PLAIN_ENVIRONMENT } from "../plain-environment.ts"
import type { ArchiveFile } from "./archive.ts"
import { PUBLISHER } from "./publisher.ts"
import { run } from "./run.ts"
import { commonUnit } from "./unit.ts"

/** Names of processors as Debian has them, by the target whose file needs the C library of Debian. */
export const DEBIAN_PROCESSORS: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" }

export const HAS_DPKG = Bun.which("dpkg-deb") !== null

const DATA = "/var/lib/bizauth"
const SETTINGS = "/etc/bizauth"
const UNIT_PATH = "etc/systemd/system/bizauth.service"

interface DebianOrder {
  readonly version: string
  /** As {@link DEBIAN_PROCESSORS} has it. */
  readonly processor: string
  /** The program and what lies beside it in an archive. */
  readonly files: readonly ArchiveFile[]
  /** Time of every file, in seconds since 1970. */
  readonly seconds: number
}

/** Returns the bytes of the package. `scratch`: a folder that does not exist. */
export function debianPackage(order: DebianOrder, scratch: string): Uint8Array {
  const { files, seconds } = order
  const content = (name: string) => {
    const found = files.find((file) => file.name === name)
    if (found === undefined) throw new Error(`the release has no file ${name}`)
    return found.content
  }
  const write = (path: string, text: Uint8Array | string, mode = 0o644) => {
    const place = join(scratch, path)
    mkdirSync(dirname(place), { recursive: true, mode: 0o755 })
    writeFileSync(place, text)
    chmodSync(place, mode)
  }
  const packed = (text: Uint8Array | string) => gzipSync(text, { level: 9 })
  write("usr/bin/bizauth", content("bizauth"), 0o755)
  write(UNIT_PATH, commonUnit("/usr/bin/bizauth"))
  write("usr/share/man/man1/bizauth.1.gz", packed(content("bizauth.1")))
  write("usr/share/bash-completion/completions/bizauth", content("completions/bizauth.bash"))
  write("usr/share/zsh/vendor-completions/_bizauth", content("completions/_bizauth"))
  write("usr/share/fish/vendor_completions.d/bizauth.fish", content("completions/bizauth.fish"))
  write("usr/share/doc/bizauth/copyright", copyright(content("NOTICES.txt")))
  write("usr/share/doc/bizauth/changelog.gz", packed(changelog(order)))
  write("usr/share/lintian/overrides/bizauth", OVERRIDES)
  for (const folder of [DATA, SETTINGS]) mkdirSync(join(scratch, folder), { recursive: true })
  write("DEBIAN/control", control(order))
  write("DEBIAN/conffiles", `/${UNIT_PATH}\n`)
  for (const [name, script] of Object.entries(SCRIPTS)) write(`DEBIAN/${name}`, script, 0o755)
  for (const folder of run(["find", ".", "-type", "d"], scratch).trimEnd().split("\n")) {
    chmodSync(join(scratch, folder), 0o755)
    utimesSync(join(scratch, folder), seconds, seconds)
  }
  const out = `${scratch}.deb`
  // dpkg-deb writes files that are newer than this time with this time.
  const env = { ...PLAIN_ENVIRONMENT, SOURCE_DATE_EPOCH: String(seconds) }
  run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", scratch, out], dirname(scratch), { env })
  return readFileSync(out)
}

function control({ version, processor, files }: DebianOrder): string {
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  return `Package: bizauth
Version: ${version}
Architecture: ${processor}
Maintainer: ${PUBLISHER}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: init-system-helpers (>= 1.54~), libc6 (>= 2.17), passwd
Section: net
Priority: optional
Description: signed decisions about payments that agents make
 Before an autonomous agent pays a supplier, it asks this service whether the
 company is real and unrestricted, whether the invoice and the payee are
 genuine, and whether the organization authorized the payment. The answer is
 signed, carries its evidence, and can be verified without the service.
`
}

function changelog({ version, seconds }: DebianOrder): string {
  const date = new Date(seconds * 1000).toUTCString().replace("GMT", "+0000")
  return `bizauth (${version}) stable; urgency=medium

  * The changes of each version are in CHANGELOG.md of the source.

 -- ${PUBLISHER}  ${date}
`
}

function copyright(notices: Uint8Array | string): string {
  return `bizauth is licensed under the Apache License 2.0: /usr/share/common-licenses/Apache-2.0\n\n${notices}`
}

/** Each with its reason. */
const OVERRIDES = `# One file that Bun compiles holds the program behind the runtime; stripping would remove it.
bizauth: unstripped-binary-or-object
# The runtime is linked with its libraries, so that the file needs nothing beside it.
bizauth: embedded-library
bizauth: hardening-no-pie
bizauth: hardening-no-relro
# An operator changes the unit, and dpkg asks before it replaces it.
bizauth: systemd-service-in-odd-location
`

/** `dpkg` sets DPKG_ROOT where it installs into another folder than the root of the system. */
const ROOT = `root="\${DPKG_ROOT:-}"`

/** `getent` knows only the users of the system, so another root has its user read from the file. Exit 9 of useradd: the user is there. */
const USER = `add_user() {
    useradd "$@" --system --user-group --home-dir ${DATA} --no-create-home --shell /usr/sbin/nologin bizauth
  }
  if [ -z "$root" ]; then
    getent passwd bizauth >/dev/null || add_user
    owner=bizauth:bizauth
  else
    add_user --prefix "$root" || [ $? -eq 9 ]
    owner="$(sed -n 's/^bizauth:[^:]*:\\([0-9]*:[0-9]*\\):.*/\\1/p' "$root/etc/passwd")"
  fi`

const RELOAD = `if [ -z "$root" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi`

/** `dpkg` runs them with the name of the step. */
const SCRIPTS = {
  postinst: `#!/bin/sh
set -e
${ROOT}
if [ "$1" = configure ]; then
  ${USER}
  chown "$owner" "$root${DATA}"
  chmod 0700 "$root${DATA}"
  ${RELOAD}
fi
`,
  prerm: `#!/bin/sh
set -e
${ROOT}
if [ "$1" = remove ] && [ -z "$root" ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop bizauth.service || true
fi
`,
  // Keys and answers cannot be made again, so a purge keeps them unless somebody asks for their end.
  postrm: `#!/bin/sh
set -e
${ROOT}
if [ "$1" = purge ]; then
  if [ "$BIZAUTH_PURGE_DATA" = yes ]; then
    rm -rf "$root${DATA}" "$root${SETTINGS}"
  elif [ -n "$(ls -A "$root${DATA}" 2>/dev/null)" ]; then
    echo "bizauth: $root${DATA} stays; BIZAUTH_PURGE_DATA=yes removes it" >&2
  fi
fi
${RELOAD}
`,
}
