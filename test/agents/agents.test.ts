import { expect, test } from "bun:test";
import { UPSTREAMS } from "#test/matrix/upstreams.ts";
import { AGENTS } from "./agents.ts";

const task = {
  url: "http://127.0.0.1:1234",
  key: "the-key-of-the-gateway",
  model: "some-model",
  home: "/home/of/the/agent",
  file: "/project/notes.txt",
};

test("every style is used by several agents, and each has a unique name", () => {
  const styles = UPSTREAMS.map(({ id }) => id);

  expect(new Set(AGENTS.map(({ id }) => id)).size).toBe(AGENTS.length);
  for (const style of styles) {
    expect(AGENTS.filter((agent) => agent.style === style).length).toBeGreaterThan(1);
  }
  expect(AGENTS.filter(({ style }) => !styles.includes(style))).toEqual([]);
});

test.each(AGENTS.map((agent) => [agent.id, agent] as const))(
  "%s gets the gateway, the key, the model and the file, and its version is exact",
  (_id, agent) => {
    const launch = JSON.stringify(agent.launch(task));

    expect(launch).toContain(task.url);
    expect(launch).toContain(task.key);
    expect(launch).toContain(task.model);
    expect(launch).toContain(task.file);
    expect(agent.release.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(agent.release.programs).not.toBeEmpty();
  },
);
