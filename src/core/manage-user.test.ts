import { expect, test } from "bun:test";
import { mayInspect, mayManage } from "./manage-user.ts";
import { ROLES, type Role, type User } from "./user.ts";

const USER: User = {
  id: 1,
  name: "ada",
  displayName: "Ada",
  role: "user",
  isEnabled: true,
  hasPassword: true,
  hasSecondFactor: false,
  createdAt: 0,
};
const ADMIN: User = { ...USER, id: 2, role: "admin" };
const OWNER: User = { ...USER, id: 3, teamId: 8, isTeamOwner: true };
const MEMBER: User = { ...USER, id: 4, teamId: 8 };

test("an admin manages users of lower roles only", () => {
  const managed = (actor: Role) =>
    ROLES.filter((role) => mayManage({ ...ADMIN, role: actor }, { ...USER, role }));

  expect(managed("root")).toEqual(["user", "auditor", "admin"]);
  expect(managed("admin")).toEqual(["user", "auditor"]);
  expect(managed("auditor")).toEqual([]);
  expect(managed("user")).toEqual([]);
});

test("an owner of a team manages its members only", () => {
  expect(mayManage(OWNER, MEMBER)).toBe(true);
  expect(mayManage(OWNER, { ...MEMBER, teamId: 9 })).toBe(false);
  expect(mayManage(OWNER, USER)).toBe(false);
  expect(mayManage(MEMBER, { ...MEMBER, id: 5 })).toBe(false);
  expect(mayManage({ ...USER, isTeamOwner: true }, USER)).toBe(false);
});

test("an owner of a team manages neither itself, nor other owners, nor members of a higher role", () => {
  expect(mayManage(OWNER, OWNER)).toBe(false);
  expect(mayManage(OWNER, { ...OWNER, id: 5 })).toBe(false);
  expect(mayManage(OWNER, { ...MEMBER, role: "auditor" })).toBe(false);
  expect(mayManage({ ...OWNER, role: "auditor" }, { ...MEMBER, role: "auditor" })).toBe(true);
});

test("auditors see every user's keys, owners those of their members", () => {
  expect(mayInspect({ ...USER, role: "auditor" }, ADMIN)).toBe(true);
  expect(mayInspect(OWNER, MEMBER)).toBe(true);
  expect(mayInspect(OWNER, USER)).toBe(false);
  expect(mayInspect(USER, USER)).toBe(false);
});
