/** How clients are told the gateway and a key. `url`: the gateway's address; `key`: a secret, or a variable's name. */
export function snippetsOf(
  url: string,
  key: string,
  model = "MODEL",
): readonly { readonly name: string; readonly text: string }[] {
  const openai = `${url}/openai/v1`;
  return [
    {
      name: "curl",
      text: `curl ${openai}/chat/completions \\\n  -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\\n  -d '{"model":"${model}","messages":[{"role":"user","content":"Say hello."}]}'`,
    },
    { name: "Environment", text: `export OPENAI_BASE_URL=${openai}\nexport OPENAI_API_KEY=${key}` },
    {
      name: "Claude Code",
      text: `export ANTHROPIC_BASE_URL=${url}\nexport ANTHROPIC_AUTH_TOKEN=${key}\nclaude`,
    },
    {
      name: "codex",
      text: `# ~/.codex/config.toml\nmodel_provider = "sluice"\n\n[model_providers.sluice]\nname = "Sluice"\nbase_url = "${openai}"\nenv_key = "SLUICE_KEY"\nwire_api = "responses"\n\n# in the shell\nexport SLUICE_KEY=${key}`,
    },
    {
      name: "gemini-cli",
      text: `export GOOGLE_GEMINI_BASE_URL=${url}\nexport GEMINI_API_KEY=${key}\ngemini`,
    },
    {
      name: "opencode",
      text: JSON.stringify(
        {
          provider: {
            sluice: {
              npm: "@ai-sdk/openai-compatible",
              name: "Sluice",
              options: { baseURL: openai, apiKey: key },
              models: { MODEL: {} },
            },
          },
        },
        undefined,
        2,
      ),
    },
    {
      name: "Cursor",
      text: `Settings > Models > OpenAI API Key: ${key}\nOverride OpenAI Base URL: ${openai}`,
    },
    {
      name: "OpenAI SDK",
      text: `from openai import OpenAI\n\nclient = OpenAI(base_url="${openai}", api_key="${key}")`,
    },
    {
      name: "LangChain",
      text: `from langchain_openai import ChatOpenAI\n\nmodel = ChatOpenAI(model="MODEL", base_url="${openai}", api_key="${key}")`,
    },
    {
      name: "Vercel AI SDK",
      text: `import { createOpenAI } from "@ai-sdk/openai";\n\nconst sluice = createOpenAI({ baseURL: "${openai}", apiKey: "${key}" });`,
    },
  ];
}
