/** Which file systems another machine may share, by the text that the kernel gives. */
import { describe, expect, test } from "bun:test"
import { sharedMount } from "../../src/data/network-mount.ts"

const ROOT = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard"
const mountAt = (at: string, type: string, optional = "") =>
  `36 27 0:45 / ${at} rw,relatime${optional} - ${type} server:/export rw,vers=4.2,hard`

const text = (...lines: readonly string[]) => `${[ROOT, ...lines].join("\n")}\n`

describe("a directory on a file system that another machine may share", () => {
  test.each([
    "nfs",
    "nfs4",
    "cifs",
    "smb2",
    "smb3",
    "9p",
    "fuse.sshfs",
    "ceph",
    "glusterfs",
    "fuse.glusterfs",
    "lustre",
  ])("%s", (type) => {
    expect(sharedMount(text(mountAt("/srv/bizauth", type)), "/srv/bizauth/data")).toEqual({ at: "/srv/bizauth", type })
  })

  test("the mount itself, with any number of optional members before the hyphen", () => {
    const lines = text(mountAt("/srv", "nfs4", " shared:7 master:2 propagate_from:3"))
    expect(sharedMount(lines, "/srv")).toEqual({ at: "/srv", type: "nfs4" })
  })

  test("a path with a space, which the kernel writes as an octal number", () => {
    const lines = text(mountAt("/srv/two\\040words\\134x", "cifs"))
    expect(sharedMount(lines, "/srv/two words\\x/data")).toEqual({ at: "/srv/two words\\x", type: "cifs" })
  })

  test("the root of a machine without a disk", () => {
    expect(sharedMount(mountAt("/", "nfs"), "/var/lib/bizauth")).toEqual({ at: "/", type: "nfs" })
  })
})

describe("none of another machine", () => {
  test.each(["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuse.mergerfs"])("%s", (type) => {
    expect(sharedMount(text(mountAt("/srv/bizauth", type)), "/srv/bizauth/data")).toBeNull()
  })

  test("a directory beside a mount whose name begins like its own", () => {
    expect(sharedMount(text(mountAt("/srv/biz", "nfs4")), "/srv/bizauth")).toBeNull()
  })

  test("a disk that is mounted in a shared one, or over it", () => {
    const inside = text(mountAt("/srv", "nfs4"), mountAt("/srv/bizauth", "ext4"))
    expect(sharedMount(inside, "/srv/bizauth/data")).toBeNull()
    expect(sharedMount(inside, "/srv/other")).toEqual({ at: "/srv", type: "nfs4" })
    const over = text(mountAt("/srv", "nfs4"), mountAt("/srv", "xfs"))
    expect(sharedMount(over, "/srv/bizauth")).toBeNull()
  })

  test.each(["", "no mounts", "36 27 0:45 / /srv", "36 27 0:45 / /srv rw -"])(
    "text that is none of the kernel: %p",
    (lines) => {
      expect(sharedMount(lines, "/srv/data")).toBeNull()
    },
  )
})
