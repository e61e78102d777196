import { describe, expect, test } from "bun:test"
import { matchesPath, templatesOf, yieldsTo } from "../../src/http/path-templates.ts"

const ALL = ["/a/:id", "/a/:other", "/a/new", "/a/:id/part", "/a/new/part", "/a/*", "/b"]

describe("the templates of a path", () => {
  test.each([
    ["/a/1", ["/a/:id", "/a/:other"]],
    ["/a/new", ["/a/new"]],
    ["/a/new/part", ["/a/new/part"]],
    ["/a/1/part", ["/a/:id/part"]],
    ["/a/1/2", ["/a/*"]],
    ["/a/", ["/a/*"]],
    ["/b", ["/b"]],
    ["/c", []],
  ])("%s", (path, expected) => expect(templatesOf(path, ALL)).toEqual(expected))
})

describe("a template yields to the more literal ones that one path has in common with it", () => {
  test.each([
    ["/a/:id", ["/a/new"]],
    ["/a/:id/part", ["/a/new/part"]],
    ["/a/*", ["/a/:id", "/a/:other", "/a/new", "/a/:id/part", "/a/new/part"]],
    ["/a/new", []],
    ["/b", []],
  ])("%s", (template, expected) => expect(yieldsTo(template, ALL)).toEqual(expected))

  test("segments that differ before the parameter have no path in common", () => {
    expect(yieldsTo("/a/:id", ["/b/new", "/a/new/part"])).toEqual([])
  })

  test("a parameter before its own first one makes no template more literal", () => {
    expect(yieldsTo("/a/:id", ["/:any/new", "/*"])).toEqual([])
  })
})

test("a parameter is never empty", () => {
  expect(matchesPath("/a/:id", "/a/")).toBe(false)
})
