import { expect, test } from "bun:test";
import type { Alert, AlertChange, GatewayFacts } from "#core/alert.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_RECIPIENT } from "#core/webhook-delivery.ts";
import { holdWith, newId, openAt, reasonOf, recordOf, type Place } from "./contract-place.ts";

const NOW = Date.now();

/** The contract of alerts, their rules and destinations. */
export function describeAlerts(openPlace: () => Promise<Place>): void {
  test("a rule is created, changed, silenced and deleted with its open alerts", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { alertRules, alerts } = storage;
    const before = await alertRules.list();

    const rule = await alertRules.create({
      name: "mine",
      kind: "budget",
      isEnabled: true,
      terms: { levels: [10, 20] },
      remindMinutes: 5,
    });
    expect(await alertRules.list()).toEqual([...before, rule]);
    expect(await alertRules.change(rule.id, { isEnabled: false, remindMinutes: null })).toEqual({
      id: rule.id,
      name: "mine",
      kind: "budget",
      isEnabled: false,
      terms: { levels: [10, 20] },
    });
    expect(await alertRules.silence(rule.id, NOW)).toBe(true);
    expect((await alertRules.list()).at(-1)).toMatchObject({ silencedUntil: NOW });
    expect(await reasonOf(alertRules.create({ ...rule, name: "mine" }))).toMatchObject({
      message: "A rule named 'mine' already exists. Choose another name.",
    });

    await alerts.add({ alert: anAlert({ ruleId: rule.id }), destinations: [] }, NOW);
    expect(await alertRules.delete(rule.id)).toBe(true);
    expect(await alertRules.delete(rule.id)).toBe(false);
    expect(await alerts.open()).toEqual([]);
  });

  test("a destination is stored encrypted, and rules follow its name", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { alertDestinations, alertRules } = storage;
    const address = { url: "https://ops.example/secret-path", secret: "SEC" };
    const made = await alertDestinations.create({
      name: "ops",
      kind: "dingtalk",
      isEnabled: true,
      address,
    });
    const rule = await alertRules.create({
      name: "mine",
      kind: "secret",
      isEnabled: true,
      terms: {},
      destinations: ["ops"],
    });

    expect((await alertDestinations.find(made.id))?.address).toEqual(address);
    const rows = await storage.db.selectFrom("alert_destinations").selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/secret-path|SEC/);
    await alertDestinations.change(made.id, { name: "night", isEnabled: false });
    expect(await alertDestinations.list()).toMatchObject([{ name: "night", address }]);
    expect((await alertRules.list()).at(-1)?.destinations).toEqual(["night"]);
    const refused = await reasonOf(alertRules.change(rule.id, { destinations: ["night", "gone"] }));
    expect(refused).toMatchObject({
      message: "There is no destination named 'gone'. Create it first.",
    });
    expect(await alertDestinations.delete(made.id)).toBe(true);
    expect((await alertRules.list()).at(-1)?.destinations).toEqual([]);
  });

  test("one gateway at a time evaluates, and only it writes alerts and their messages", async () => {
    await using place = await openPlace();
    await using one = await openAt(place.address);
    const change: AlertChange = { alert: anAlert(), event: "began", destinations: [4, 5] };

    expect(await one.alerts.lease(60_000)).toBe(true);
    expect(await one.alerts.lease(60_000)).toBe(true);
    const other = await place.tamper();
    await other.updateTable("alert_lease").set({ holder: "another gateway" }).execute();
    expect(await one.alerts.lease(60_000)).toBe(false);
    expect(await one.alerts.apply([change], NOW)).toBe(false);
    expect(await one.alerts.open()).toEqual([]);

    await other.updateTable("alert_lease").set({ lease_until: 0 }).execute();
    await other.destroy();
    expect(await one.alerts.lease(60_000)).toBe(true);
    expect(await one.alerts.apply([change], NOW)).toBe(true);
    expect(await one.alerts.open()).toEqual([change.alert]);
    const messages = await one.notices.list({ userId: NO_RECIPIENT, limit: 9 });
    expect(new Set(messages.map(({ destinationId }) => destinationId))).toEqual(new Set([4, 5]));
    expect(messages[0]).toMatchObject({ taskId: change.alert.id, state: "pending", url: "" });
  });

  test("an acknowledgement and a silence stay when the state of an alert changes", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { alerts } = storage;
    const alert = anAlert();
    await alerts.add({ alert, destinations: [] }, NOW);

    expect(await alerts.acknowledge(alert.id, "ann", NOW)).toBe(true);
    expect(await alerts.silence(alert.id, NOW + 5)).toBe(true);
    const worse = { ...alert, level: 2, text: "worse", toldLevel: 2, toldAt: NOW, messages: 1 };
    await alerts.add({ alert: worse, destinations: [] }, NOW);
    const kept = { acknowledgedAt: NOW, acknowledgedBy: "ann", silencedUntil: NOW + 5 };
    expect(await alerts.open()).toEqual([{ ...worse, ...kept }]);

    await alerts.add({ alert: { ...worse, endedAt: NOW + 9 }, destinations: [] }, NOW);
    expect(await alerts.open()).toEqual([]);
    expect(await alerts.acknowledge(alert.id, "ann", NOW)).toBe(false);
    expect(await alerts.silence(alert.id, null)).toBe(false);
  });

  test("alerts are listed page by page, and ended ones are pruned", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { alerts } = storage;
    const all = [1, 2, 3].map((at) => anAlert({ id: `alert_${at}`, subject: `subject ${at}` }));
    for (const alert of all) await alerts.add({ alert, destinations: [] }, NOW);
    const ended = { ...anAlert({ id: "alert_4" }), endedAt: 10 };
    await alerts.add({ alert: ended, destinations: [] }, NOW);

    const ids = async (more: object) =>
      (await alerts.list({ limit: 2, ...more })).map(({ id }) => id);
    expect(await ids({})).toEqual(["alert_4", "alert_3"]);
    expect(await ids({ before: "alert_3" })).toEqual(["alert_2", "alert_1"]);
    expect(await ids({ state: "open" })).toEqual(["alert_3", "alert_2"]);
    expect(await ids({ state: "ended" })).toEqual(["alert_4"]);
    expect(await ids({ kind: "quota" })).toEqual([]);
    expect(await alerts.prune(10, 9)).toBe(0);
    expect(await alerts.prune(11, 9)).toBe(1);
    expect(await ids({})).toEqual(["alert_3", "alert_2"]);
  });

  test("gateways share the facts that each of them knows", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { gatewayFacts } = storage;
    const facts: GatewayFacts = {
      instance: "one",
      troubles: {},
      unpriced: [{ model: "m", at: NOW }],
      isSimulated: false,
      jobs: [],
      certificates: [],
      secrets: {},
      guesses: [],
    };

    await gatewayFacts.write(facts);
    await gatewayFacts.write({ ...facts, isSimulated: true });
    await gatewayFacts.write({ ...facts, instance: "two" });
    expect(await gatewayFacts.read(60_000)).toEqual([
      { ...facts, isSimulated: true },
      { ...facts, instance: "two" },
    ]);
    await storage.db.updateTable("gateway_facts").set({ at: 1 }).execute();
    expect(await gatewayFacts.read(60_000)).toEqual([]);
  });

  test("budgets and quotas are found by their used share, with the names of their owners", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const root = await storage.users.ensureRoot();
    const team = await storage.teams.create(
      { name: "research", quota: nanoUsd(1_000), budgets: { month: nanoUsd(500) } },
      "made",
    );
    await storage.users.change(root.id, { teamId: team.id });
    const { key, secret } = await storage.keys.create({
      userId: root.id,
      name: "laptop",
      models: ["*"],
      quota: nanoUsd(450),
    });
    const found = await storage.keys.find(secret);
    if (found === undefined) throw new Error("The key is not found.");
    const request = holdWith(found, 400);
    await (
      await storage.ledger.hold(request)
    ).durable;
    await storage.ledger.settle(request.callId, nanoUsd(400), recordOf(request.callId, 400));

    expect(await storage.funds.budgets(0.8, 9)).toEqual([
      {
        account: `team:${team.id}@${month()}`,
        owner: "team research",
        period: "month",
        spent: 400,
        limit: 500,
      },
    ]);
    expect(await storage.funds.budgets(0.81, 9)).toEqual([]);
    const quotas = await storage.funds.quotas(0.8, 9);
    expect(quotas).toEqual([
      {
        account: `key:${key.id}`,
        owner: `key laptop of user ${root.name}`,
        period: "quota",
        spent: 400,
        limit: 450,
      },
    ]);
    expect((await storage.funds.quotas(0.4, 9)).map(({ owner }) => owner)).toEqual([
      `key laptop of user ${root.name}`,
      "team research",
    ]);
    expect(await storage.funds.quotas(0.9, 9)).toEqual([]);
  });
}

function month(): string {
  return new Date().toISOString().slice(0, 7);
}

function anAlert(more: Partial<Alert> = {}): Alert {
  return {
    id: `alert_${newId()}`,
    ruleId: 1,
    ruleName: "budget",
    kind: "budget",
    subject: "team:3",
    level: 1,
    text: "The budget is used.",
    beganAt: NOW,
    seenAt: NOW,
    messages: 0,
    ...more,
  };
}
