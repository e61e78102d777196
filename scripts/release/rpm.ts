/** An RPM package of one target with what the Debian package has: the program, its unit as a configuration file, and a system user. */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { ArchiveFile } from "./archive.ts"
import { PUBLISHER } from "./publisher.ts"
import { cpioArchive, type RpmFacts, type RpmFile, rpmBytes } from "./rpm-format.ts"
import { commonUnit } from "./unit.ts"

/** Names of processors as RPM has them, by the target whose file needs the C library that such systems have. */
export const RPM_PROCESSORS: Readonly<Record<string, string>> = { "linux-x64": "x86_64", "linux-arm64": "aarch64" }

const RELEASE = "1"
const DATA = "/var/lib/bizauth"
const FOLDER = 0o040000
const PLAIN_FILE = 0o100000
/** A configuration file that an upgrade does not replace; a document; a licence. */
const FLAGS = { configuration: 0x11, document: 0x2, licence: 0x80, none: 0 } as const
/** What a dependency is for: the program of a script, or a feature of rpm itself; and its comparisons. */
const SENSE = { ofScripts: 0x100, before: 0x200, ofRpm: 0x100_0000, equal: 8, atMost: 10, any: 0 } as const

interface RpmOrder {
  readonly version: string
  /** As {@link RPM_PROCESSORS} has it. */
  readonly processor: string
  readonly license: string
  /** The program and what lies beside it in an archive. */
  readonly files: readonly ArchiveFile[]
  /** Time of every file, in seconds since 1970. */
  readonly seconds: number
}

interface Placed extends RpmFile {
  readonly flags: number
  readonly owner: string
}

/** RPM keeps the hyphen for its own number; a tilde sorts before the end, so a preview is older than its version. */
const asRpm = (version: string) => version.replaceAll("-", "~")
export const rpmName = (version: string, processor: string) => `bizauth-${asRpm(version)}-${RELEASE}.${processor}.rpm`

/** Returns the bytes of the package. */
export function rpmPackage(order: RpmOrder): Uint8Array {
  const files = placed(order.files).toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const archive = cpioArchive(files, order.seconds)
  const payload = gzipSync(archive, { level: 9 })
  const facts = { ...described(order), ...listed(files, order.seconds), ...dependencies(order), ...SCRIPTS }
  const ofPayload: RpmFacts = {
    size: ["int32", [files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)]],
    payloadFormat: ["string", "cpio"],
    payloadCompressor: ["string", "gzip"],
    payloadLevel: ["string", "9"],
    payloadDigest: ["strings", [sha256Of(payload)]],
    payloadDigestAlgorithm: ["int32", [SHA256]],
  }
  const name = `bizauth-${asRpm(order.version)}-${RELEASE}`
  return rpmBytes({ name, facts: { ...facts, ...ofPayload }, archive, payload })
}

function placed(files: readonly ArchiveFile[]): Placed[] {
  const content = (name: string): Uint8Array => {
    const found = files.find((file) => file.name === name)
    if (found === undefined) throw new Error(`the release has no file ${name}`)
    return Buffer.from(found.content)
  }
  const file = (path: string, bytes: Uint8Array, flags: number = FLAGS.none, mode = 0o644): Placed => {
    return { path, content: bytes, mode: PLAIN_FILE | mode, flags, owner: "root" }
  }
  const folder = (path: string, mode = 0o755, owner = "root"): Placed => {
    return { path, content: null, mode: FOLDER | mode, flags: FLAGS.none, owner }
  }
  const [share, man] = ["/usr/share", gzipSync(content("bizauth.1"), { level: 9 })]
  return [
    file("/usr/bin/bizauth", content("bizauth"), FLAGS.none, 0o755),
    file("/etc/systemd/system/bizauth.service", Buffer.from(commonUnit("/usr/bin/bizauth")), FLAGS.configuration),
    file(`${share}/man/man1/bizauth.1.gz`, man, FLAGS.document),
    file(`${share}/bash-completion/completions/bizauth`, content("completions/bizauth.bash")),
    file(`${share}/zsh/site-functions/_bizauth`, content("completions/_bizauth")),
    file(`${share}/fish/vendor_completions.d/bizauth.fish`, content("completions/bizauth.fish")),
    folder(`${share}/doc/bizauth`),
    ...["README.md", "CHANGELOG.md"].map((name) => file(`${share}/doc/bizauth/${name}`, content(name), FLAGS.document)),
    folder(`${share}/licenses/bizauth`),
    ...["LICENSE", "NOTICES.txt"].map((name) =>
      file(`${share}/licenses/bizauth/${name}`, content(name), FLAGS.licence),
    ),
    folder("/etc/bizauth"),
    // Root owns what lies in a package; the service owns its data.
    folder(DATA, 0o700, "bizauth"),
  ]
}

function described({ version, processor, license, seconds }: RpmOrder): RpmFacts {
  const [summary, text] = ["Signed decisions about payments that agents make", DESCRIPTION]
  return {
    languages: ["strings", ["C"]],
    name: ["string", "bizauth"],
    version: ["string", asRpm(version)],
    release: ["string", RELEASE],
    summary: ["translated", [summary]],
    description: ["translated", [text]],
    buildTime: ["int32", [seconds]],
    // The same on every machine, which the format wants to name.
    buildHost: ["string", "localhost"],
    license: ["string", license],
    packager: ["string", PUBLISHER],
    group: ["translated", ["System Environment/Daemons"]],
    system: ["string", "linux"],
    processor: ["string", processor],
    // Without the name of a source package it would be taken for one.
    sourcePackage: ["string", `bizauth-${asRpm(version)}-${RELEASE}.src.rpm`],
    changeTimes: ["int32", [seconds]],
    changeAuthors: ["strings", [`${PUBLISHER} - ${asRpm(version)}-${RELEASE}`]],
    changeTexts: ["strings", ["- The changes of each version are in CHANGELOG.md."]],
    encoding: ["string", "utf-8"],
  }
}

const DESCRIPTION = `Before an autonomous agent pays a supplier, it asks this service whether the
company is real and unrestricted, whether the invoice and the payee are
genuine, and whether the organization authorized the payment. The answer is
signed, carries its evidence, and can be verified without the service.`

const SHA256 = 8
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

function listed(files: readonly Placed[], seconds: number): RpmFacts {
  const each = (value: number) => files.map(() => value)
  const owners = files.map(({ owner }) => owner)
  const split = files.map(({ path }) => path.lastIndexOf("/") + 1)
  const folders = files.map(({ path }, at) => path.slice(0, split[at]))
  const names = [...new Set(folders)]
  return {
    fileSizes: ["int32", files.map(({ content }) => content?.length ?? 0)],
    fileModes: ["int16", files.map(({ mode }) => mode)],
    fileDevices: ["int16", each(0)],
    fileTimes: ["int32", each(seconds)],
    fileDigests: ["strings", files.map(({ content }) => (content === null ? "" : sha256Of(content)))],
    fileLinks: ["strings", files.map(() => "")],
    fileFlags: ["int32", files.map(({ flags }) => flags)],
    fileUsers: ["strings", owners],
    fileGroups: ["strings", owners],
    fileVerifyFlags: ["int32", each(0xffff_ffff)],
    fileSystems: ["int32", each(1)],
    fileInodes: ["int32", files.map((_, at) => at + 1)],
    fileLanguages: ["strings", files.map(() => "")],
    fileFolders: ["int32", folders.map((folder) => names.indexOf(folder))],
    fileNames: ["strings", files.map(({ path }, at) => path.slice(split[at]))],
    folderNames: ["strings", names],
    fileDigestAlgorithm: ["int32", [SHA256]],
  }
}

type Dependency = readonly [name: string, sense: number, version?: string]

function dependencies({ version, processor }: RpmOrder): RpmFacts {
  const own = `${asRpm(version)}-${RELEASE}`
  const provided: Dependency[] = [
    ["bizauth", SENSE.equal, own],
    [`bizauth(${processor === "x86_64" ? "x86-64" : "aarch-64"})`, SENSE.equal, own],
  ]
  const beforeInstall = SENSE.ofScripts | SENSE.before
  const required: Dependency[] = [
    // By path: the packages that have them are named differently in each distribution.
    ["/bin/sh", beforeInstall],
    ["/usr/bin/getent", beforeInstall],
    ["/usr/sbin/groupadd", beforeInstall],
    ["/usr/sbin/useradd", beforeInstall],
    ["libc.so.6(GLIBC_2.17)(64bit)", SENSE.any],
    ["rpmlib(CompressedFileNames)", SENSE.ofRpm | SENSE.atMost, "3.0.4-1"],
    ["rpmlib(FileDigests)", SENSE.ofRpm | SENSE.atMost, "4.6.0-1"],
    ["rpmlib(PayloadFilesHavePrefix)", SENSE.ofRpm | SENSE.atMost, "4.0-1"],
    ["rpmlib(TildeInVersions)", SENSE.ofRpm | SENSE.atMost, "4.10.0-1"],
  ]
  return {
    providedNames: ["strings", provided.map(([name]) => name)],
    requiredFlags: ["int32", required.map(([, sense]) => sense)],
    requiredNames: ["strings", required.map(([name]) => name)],
    requiredVersions: ["strings", required.map(([, , at = ""]) => at)],
    providedFlags: ["int32", provided.map(([, sense]) => sense)],
    providedVersions: ["strings", provided.map(([, , at = ""]) => at)],
  }
}

const RELOAD = `if [ -d /run/systemd/system ]; then systemctl daemon-reload || :; fi`
const SHELL = ["string", "/bin/sh"] as const

/** rpm runs them with the number of installed packages that remain: 0 when it is removed. None of them starts the service, and none removes data. */
const SCRIPTS: RpmFacts = {
  beforeInstall: [
    "string",
    `getent group bizauth >/dev/null || groupadd --system bizauth
getent passwd bizauth >/dev/null || useradd --system --gid bizauth --home-dir ${DATA} --no-create-home --shell /sbin/nologin bizauth`,
  ],
  afterInstall: ["string", RELOAD],
  beforeRemoval: [
    "string",
    `if [ "$1" = 0 ] && [ -d /run/systemd/system ]; then systemctl --no-reload disable --now bizauth.service || :; fi`,
  ],
  afterRemoval: ["string", RELOAD],
  beforeInstallProgram: SHELL,
  afterInstallProgram: SHELL,
  beforeRemovalProgram: SHELL,
  afterRemovalProgram: SHELL,
}
