/** A vendor's API that is not served here, and the endpoint to use instead. */
interface UnservedApi {
  readonly path: RegExp;
  readonly style: "chat" | "native";
  readonly hint: string;
}

const UNSERVED_APIS: readonly UnservedApi[] = [
  {
    path: below("interactions"),
    style: "native",
    hint:
      "The Interactions API is not served here: send the question to " +
      "POST /v1beta/models/{model}:generateContent, or to POST /v1/responses.",
  },
  {
    path: below("conversations"),
    style: "chat",
    hint:
      "The Conversations API is not served here: continue a conversation with " +
      "`previous_response_id` in POST /v1/responses, or send its items in `input`.",
  },
  {
    path: below("decisions"),
    style: "chat",
    hint:
      "The Decisions API is not served here: send the question to POST /v1/responses with a " +
      "JSON schema of the answer in `text.format`.",
  },
  {
    path: below("skills"),
    style: "chat",
    hint:
      "The Skills API is not served here: manage skills at their vendor and name them in " +
      "requests (`tools[].environment.skills` of POST /v1/responses, `container.skills` of " +
      "POST /v1/messages).",
  },
  {
    path: below("live"),
    style: "chat",
    hint:
      "The Live API is not served here: use POST /v1/audio/transcriptions and " +
      "POST /v1/audio/speech for sound, and the WebSocket at GET /v1/responses for turns.",
  },
];

/** The known API, of those that are not served, that the path belongs to. */
export function unservedApiAt(path: string): UnservedApi | undefined {
  return UNSERVED_APIS.find((each) => each.path.test(path));
}

/** Clients differ in the base URL that they put before the name. */
function below(name: string): RegExp {
  return new RegExp(`^(?:/openai)?(?:/v1(?:beta)?)?/${name}(?:/|$)`);
}
