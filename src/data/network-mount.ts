/**
 * SQLite keeps its database safe by locks and by memory that all its processes share. On a file system that other machines share these do not
 * reach them, so two services on one directory there can spoil the database.
 */
import { readFileSync, realpathSync } from "node:fs"

/** Names of Linux for file systems whose files another machine, or the host of this virtual one, may open too. */
const SHARED_TYPES: ReadonlySet<string> = new Set([
  ...["9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.glusterfs", "fuse.juicefs"],
  ...["fuse.moosefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse", "gfs2", "glusterfs", "gpfs"],
  ...["lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs"],
])

interface Mount {
  /** Where it is mounted. */
  readonly at: string
  /** Such as `nfs4`. */
  readonly type: string
}

/**
 * The mount that has `path`, if another machine may share it, or null. `mountinfo`: text of `/proc/self/mountinfo`. `path`: absolute, without links.
 */
export function sharedMount(mountinfo: string, path: string): Mount | null {
  let found: Mount | null = null
  for (const line of mountinfo.split("\n")) {
    const mount = readMount(line)
    // Of two mounts at one place the later one covers the other.
    if (mount && holds(mount.at, path) && mount.at.length >= (found?.at.length ?? 0)) found = mount
  }
  return found !== null && SHARED_TYPES.has(found.type) ? found : null
}

/** `36 35 98:0 /root /at rw,noatime shared:1 - ext4 /dev/root rw`: before the hyphen are any number of optional members. */
function readMount(line: string): Mount | null {
  const [before = "", after] = line.split(" - ")
  const at = before.split(" ")[4]
  const type = after?.split(" ")[0]
  return at && type ? { at: unescaped(at), type } : null
}

/** The kernel writes a space as `\040`, each character that separates as its octal number. */
const unescaped = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

const holds = (at: string, path: string) => at === "/" || path === at || path.startsWith(`${at}/`)

/** The mount of a directory of this machine. Null also where the kernel does not say it, as on other systems than Linux. */
function sharedMountOf(directory: string): Mount | null {
  try {
    return sharedMount(readFileSync("/proc/self/mountinfo", "utf8"), realpathSync(directory))
  } catch {
    return null
  }
}

/** Why a file database in this directory is in danger, as one sentence, or null. {@link LOCAL_DISK} is the way out. */
export function sharedMountNotice(directory: string): string | null {
  const mount = sharedMountOf(directory)
  if (mount === null) return null
  return `${directory} is on ${mount.at}, a file system of type ${mount.type} that other machines may share: SQLite's locks do not keep a second one away there, and two services can spoil the database`
}

export const LOCAL_DISK = "move the directory to a disk of this machine, or use PostgreSQL (docs/scale.md)"
