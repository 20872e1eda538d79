import { expect, test } from "bun:test";
import { isInNetworks, isNetwork, truncateAddress } from "./networks.ts";

test.each([
  ["10.1.2.3", ["10.0.0.0/8"], true],
  ["11.1.2.3", ["10.0.0.0/8"], false],
  ["192.0.2.7", ["192.0.2.7"], true],
  ["192.0.2.8", ["10.0.0.0/8", "192.0.2.7"], false],
  ["::ffff:10.1.2.3", ["10.0.0.0/8"], true],
  ["10.1.2.3", ["::ffff:10.0.0.0/104"], true],
  ["::ffff:11.1.2.3", ["::ffff:10.0.0.0/104"], false],
  ["192.0.2.7", ["::ffff:192.0.2.7"], true],
  ["2001:db8::1", ["2001:db8::/32"], true],
  ["2001:db9::1", ["2001:db8::/32"], false],
  ["10.1.2.3", ["::/0"], false],
  ["10.1.2.3", ["0.0.0.0/0"], true],
  ["10.1.2.3", [], false],
  ["fe80::1%eth0", ["fe80::/10"], false],
  ["not an address", ["0.0.0.0/0", "::/0"], false],
])("%s in %j is %p", (address, networks, expected) => {
  expect(isInNetworks(address, networks)).toBe(expected);
});

test.each([
  ["10.0.0.0/8", true],
  ["10.0.0.1", true],
  ["::1", true],
  ["2001:db8::/128", true],
  ["10.0.0.0/33", false],
  ["::/129", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
  ["10.0.0/8", false],
  ["fe80::1%eth0/64", false],
  ["example.com", false],
  ["", false],
])("%p is a network: %p", (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});

test.each([
  ["198.51.100.77", "198.51.100.0/24"],
  ["::ffff:198.51.100.77", "198.51.100.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["::1", "::/48"],
  ["fe80::1%eth0", undefined],
  ["unknown", undefined],
])("%s is in the network %p", (address, network) => {
  expect(truncateAddress(address)).toBe(network);
});
