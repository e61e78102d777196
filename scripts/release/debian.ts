/**
 * A Debian package of one target (deb(5)): the program, its unit as a configuration file, and a system user. Written here and not by `dpkg-deb`, whose bytes
 * depend on its version and its zlib: so every machine makes the same bytes.
 */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { type ArchiveFile, compressed } from "./archive.ts"
import { PUBLISHER } from "./publisher.ts"
import { type TreeFile, tarOfTree } from "./tree.ts"
import { commonUnit } from "./unit.ts"

/** Names of processors as Debian has them, by the target whose file needs the C library of Debian. */
export const DEBIAN_PROCESSORS: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" }

const DATA = "/var/lib/bizauth"
const SETTINGS = "/etc/bizauth"
const LOGS = "/var/log/bizauth"
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

/** Returns the bytes of the package. */
export function debianPackage(order: DebianOrder): Uint8Array {
  const { seconds } = order
  const files = placed(order)
  const inRoot = (tree: readonly TreeFile[]) => compressed(tarOfTree(tree, { seconds, root: "./" }))
  return arArchive(
    [
      ["debian-binary", Buffer.from("2.0\n")],
      ["control.tar.gz", inRoot(controlFiles(order, files))],
      ["data.tar.gz", inRoot(files)],
    ],
    seconds,
  )
}

function placed(order: DebianOrder): TreeFile[] {
  const content = (name: string) => {
    const found = order.files.find((file) => file.name === name)
    if (found === undefined) throw new Error(`the release has no file ${name}`)
    return found.content
  }
  const packed = (text: Uint8Array | string) => gzipSync(text, { level: 9 })
  return [
    { path: "usr/bin/bizauth", content: content("bizauth"), mode: 0o755 },
    { path: UNIT_PATH, content: commonUnit("/usr/bin/bizauth") },
    { path: "usr/share/man/man1/bizauth.1.gz", content: packed(content("bizauth.1")) },
    { path: "usr/share/bash-completion/completions/bizauth", content: content("completions/bizauth.bash") },
    { path: "usr/share/zsh/vendor-completions/_bizauth", content: content("completions/_bizauth") },
    { path: "usr/share/fish/vendor_completions.d/bizauth.fish", content: content("completions/bizauth.fish") },
    { path: "usr/share/doc/bizauth/copyright", content: copyright(content("NOTICES.txt")) },
    { path: "usr/share/doc/bizauth/changelog.gz", content: packed(changelog(order)) },
    { path: "usr/share/lintian/overrides/bizauth", content: OVERRIDES },
    ...[DATA, SETTINGS].map((folder) => ({ path: folder.slice(1), content: null })),
  ]
}

function controlFiles(order: DebianOrder, files: readonly TreeFile[]): TreeFile[] {
  const scripts = Object.entries(SCRIPTS).map(([path, content]) => ({ path, content, mode: 0o755 }))
  return [
    { path: "control", content: control(order) },
    { path: "conffiles", content: `/${UNIT_PATH}\n` },
    { path: "md5sums", content: files.map(md5Line).join("") },
    ...scripts,
  ]
}

/** For `dpkg --verify`, which knows the sum of a configuration file from its own state. */
function md5Line({ path, content }: TreeFile): string {
  if (content === null || path === UNIT_PATH) return ""
  return `${createHash("md5").update(content).digest("hex")}  ${path}\n`
}

type Member = readonly [name: string, content: Uint8Array]

/** The archive of ar(5). */
function arArchive(members: readonly Member[], seconds: number): Uint8Array {
  const parts = members.flatMap(([name, content]) => {
    const fields: readonly (readonly [string, number])[] = [
      [name, 16],
      [String(seconds), 12],
      ["0", 6],
      ["0", 6],
      ["100644", 8],
      [String(content.length), 10],
    ]
    const head = fields.map(([text, width]) => text.padEnd(width)).join("")
    return [Buffer.from(`${head}\`\n`), content, Buffer.from(content.length % 2 === 0 ? "" : "\n")]
  })
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts])
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

/** A removal keeps the unit, because it is a configuration file: systemd would try to start it at every boot. */
const DISABLE = `rm -f "$root/etc/systemd/system/multi-user.target.wants/bizauth.service"`

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
  // Keys and answers cannot be made again, so a purge keeps them, with the access log, unless somebody asks for their end.
  postrm: `#!/bin/sh
set -e
${ROOT}
if [ "$1" = remove ] || [ "$1" = purge ]; then
  ${DISABLE}
fi
if [ "$1" = purge ]; then
  if [ "$BIZAUTH_PURGE_DATA" = yes ]; then
    rm -rf "$root${DATA}" "$root${SETTINGS}" "$root${LOGS}"
  else
    for folder in ${DATA} ${SETTINGS} ${LOGS}; do
      if [ -n "$(ls -A "$root$folder" 2>/dev/null)" ]; then
        echo "bizauth: $root$folder stays; BIZAUTH_PURGE_DATA=yes removes it" >&2
      fi
    done
  fi
fi
${RELOAD}
`,
}
