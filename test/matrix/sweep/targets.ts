import { MODELS as CLAUDES } from "@sluice/sandbox/anthropic/models.ts";
import { ARK_MODELS } from "@sluice/sandbox/ark/models.ts";
import { QWEN_MODELS } from "@sluice/sandbox/dashscope/models.ts";
import { DEEPSEEK_MODELS } from "@sluice/sandbox/deepseek/rules.ts";
import { MODELS as GEMINIS } from "@sluice/sandbox/gemini/models.ts";
import { WRITERS } from "@sluice/sandbox/minimax/text/rules.ts";
import { KIMIS } from "@sluice/sandbox/moonshot/rules.ts";
import { MODELS as OPENAI_MODELS } from "@sluice/sandbox/openai/models.ts";
import { GLMS } from "@sluice/sandbox/zhipu/rules.ts";

/** A simulated vendor, one of its wire formats, and the models that generate text there. */
export interface Target {
  readonly id: string;
  readonly provider: string;
  /** Below the simulator's address. */
  readonly path: string;
  /** If the vendor has several formats. */
  readonly style?: string;
  readonly models: readonly string[];
}

const OPENAI = OPENAI_MODELS.filter(({ owner, speaks }) => owner === "system" && !speaks);
const GOOGLE = GEMINIS.filter(({ modalities }) =>
  modalities.some((each) => each.join() === "TEXT"),
);
const QWEN = QWEN_MODELS.filter(({ transcribes }) => !transcribes);

export const TARGETS: readonly Target[] = [
  {
    id: "openai chat",
    provider: "openai",
    path: "/openai/v1",
    style: "chat",
    models: idsOf(OPENAI),
  },
  {
    id: "openai responses",
    provider: "openai",
    path: "/openai/v1",
    style: "responses",
    models: idsOf(OPENAI),
  },
  {
    id: "deepseek",
    provider: "deepseek",
    path: "/deepseek/v1",
    models: idsOf(DEEPSEEK_MODELS),
  },
  { id: "moonshot", provider: "moonshot", path: "/moonshot/v1", models: idsOf(KIMIS) },
  { id: "zhipu", provider: "zhipu", path: "/zhipu/api/paas/v4", models: idsOf(GLMS) },
  {
    id: "minimax chat",
    provider: "minimax",
    path: "/minimax",
    style: "chat",
    models: idsOf(WRITERS),
  },
  {
    id: "minimax messages",
    provider: "minimax",
    path: "/minimax",
    style: "messages",
    models: idsOf(WRITERS),
  },
  { id: "anthropic", provider: "anthropic", path: "/anthropic/v1", models: idsOf(CLAUDES) },
  { id: "gemini", provider: "gemini", path: "/gemini/v1beta", models: idsOf(GOOGLE) },
  {
    id: "dashscope",
    provider: "dashscope",
    path: "/dashscope/compatible-mode/v1",
    models: idsOf(QWEN),
  },
  { id: "ark", provider: "ark", path: "/ark/api/v3", models: idsOf(ARK_MODELS) },
];

function idsOf(models: readonly { readonly id: string }[]): readonly string[] {
  return models.map(({ id }) => id);
}

export function channelTo({ provider, path, style, models }: Target, sandboxUrl: string): string {
  return [
    "channels:",
    "  - name: sim",
    `    provider: ${provider}`,
    `    base_url: ${sandboxUrl}${path}`,
    "    api_key: upstream-secret-of-the-operator",
    `    models: [${models.join(", ")}]`,
    ...(style === undefined ? [] : [`    style: ${style}`]),
  ].join("\n");
}
