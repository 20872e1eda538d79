import { expect, test } from "bun:test";
import { GatewayError } from "./error.ts";
import { admit, type AddressOwner, type AdmissionRules, type Identity } from "./identity.ts";
import type { Role } from "./user.ts";

const RULES: AdmissionRules = { domains: [], newUsers: "create", role: "user" };
const ADA: Identity = {
  issuer: "https://id.example",
  subject: "ada-1",
  email: "ada@example.com",
  isEmailVerified: true,
};

function ownerWith(role: Role, isLinked = false): AddressOwner {
  const user = {
    id: 7,
    name: "ada",
    email: ADA.email ?? "",
    displayName: "ada",
    role,
    isEnabled: true,
    hasPassword: true,
    hasSecondFactor: false,
    createdAt: 0,
  };
  return { user, isLinked };
}

function verdict(
  identity: Partial<Identity>,
  owner?: AddressOwner,
  rules: Partial<AdmissionRules> = {},
): string {
  try {
    const admission = admit({ ...ADA, ...identity }, owner, { ...RULES, ...rules });
    return "link" in admission ? `link ${admission.link.id}` : `create ${admission.create.name}`;
  } catch (cause) {
    expect(cause).toBeInstanceOf(GatewayError);
    return GatewayError.from(cause).code;
  }
}

test.each([
  ["user", "link 7"],
  ["auditor", "link 7"],
  ["admin", "forbidden"],
  ["root", "forbidden"],
] as const)("the account of a verified address, if it is %p: %s", (role, expected) => {
  expect(verdict({}, ownerWith(role))).toBe(expected);
  expect(verdict({}, ownerWith(role), { newUsers: "refuse" })).toBe(expected);
  expect(verdict({ isEmailVerified: false }, ownerWith(role))).toBe("forbidden");
  expect(verdict({}, ownerWith(role, true))).toBe("forbidden");
});

test("a domain must match the whole domain of the address, and the address must be verified", () => {
  const domains = ["example.com"];

  expect(verdict({}, undefined, { domains })).toBe("create ada");
  for (const email of [
    "ada@sub.example.com",
    "ada@notexample.com",
    "ada@example.com@evil.example",
  ]) {
    expect(verdict({ email }, undefined, { domains })).toBe("forbidden");
  }
  expect(verdict({ isEmailVerified: false }, undefined, { domains })).toBe("forbidden");
  expect(verdict({ email: "x@evil.example" }, ownerWith("user"), { domains })).toBe("forbidden");
});

test("a new user gets no unverified address, and no rights beyond the rules", () => {
  const rules: AdmissionRules = { ...RULES, role: "auditor" };
  const admission = admit({ ...ADA, isEmailVerified: false, displayName: "Ada" }, undefined, rules);

  expect(admission).toEqual({
    create: {
      name: "ada",
      role: "auditor",
      displayName: "Ada",
      identity: { issuer: ADA.issuer, subject: ADA.subject },
    },
  });
  expect(verdict({}, undefined, { newUsers: "refuse" })).toBe("forbidden");
});

test.each([
  ["Ada.Lovelace@example.com", "ada.lovelace"],
  ["Ada Lovelace", "ada-lovelace"],
  ["..ada", "ada"],
  ["日本", "user"],
  ["a".repeat(80), "a".repeat(48)],
])("the identity provider's name %p becomes the user name %p", (userName, name) => {
  expect(verdict({ userName })).toBe(`create ${name}`);
});
