"""Steps of Python clients. Prints a JSON line for each: client, step, and a failure if there is one."""

import importlib
import io
import json
import sys
import time
import traceback
import urllib.parse
import urllib.request

BASE, KEY = sys.argv[1], sys.argv[2]
PICKED = sys.argv[3:]
STEPS = []
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000020000000208020000001d49a7"
    "d900000011494441547801637cf9f3270c0c4c0c0c0c0000279603e0d1d1a0b8"
    "0000000049454e44ae426082"
)


def step(client, module):
    def register(run):
        STEPS.append((client, module, run.__name__, run))
        return run

    return register


def expect(condition, said):
    if not condition:
        raise AssertionError(said)


# openai

def openai_client(base="/v1"):
    import openai

    return openai.OpenAI(api_key=KEY, base_url=BASE + base, max_retries=0)


@step("openai", "openai")
def chat():
    answer = openai_client().chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": "Say hello."}]
    )
    expect(answer.choices[0].message.content, answer)


@step("openai", "openai")
def chat_stream():
    stream = openai_client().chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": "Say hello."}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    expect(chunks[-1].usage.total_tokens > 0, chunks[-1])


@step("openai", "openai")
def responses_stream():
    with openai_client().responses.stream(model="gpt-4o-mini", input="Say hello.") as stream:
        for _ in stream:
            pass
        expect(stream.get_final_response().output_text, "no text")


@step("openai", "openai")
def parsed():
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        age: int

    answer = openai_client().chat.completions.parse(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": "Ada is 36."}],
        response_format=Person,
    )
    expect(isinstance(answer.choices[0].message.parsed, Person), answer)


@step("openai", "openai")
def images():
    answer = openai_client().images.generate(model="gpt-image-1", prompt="a fox")
    expect(answer.data[0].b64_json, answer)


@step("openai", "openai")
def embeddings():
    answer = openai_client().embeddings.create(model="text-embedding-3-small", input=["a", "b"])
    expect(len(answer.data) == 2, answer)


@step("openai", "openai")
def video():
    client = openai_client()
    video = client.videos.create_and_poll(
        model="sora-2", prompt="a fox", seconds="4", size="1280x720", poll_interval_ms=200
    )
    expect(video.status == "completed", video)
    expect(len(client.videos.download_content(video.id).read()) > 100, "no file")


@step("openai", "openai")
def video_of_another_size():
    """A size that OpenAI does not name still gives a video object of its type."""
    client = openai_client()
    video = client.videos.create_and_poll(
        model="doubao-seedance-1-0-pro-250528", prompt="a fox", size="1920x1080", poll_interval_ms=200
    )
    expect(video.size in ("720x1280", "1280x720", "1024x1792", "1792x1024"), video)


@step("openai", "openai")
def wrong_key():
    import openai

    try:
        openai.OpenAI(api_key="sk-wrong", base_url=BASE + "/v1", max_retries=0).models.list()
    except openai.AuthenticationError as error:
        expect("Incorrect API key provided" in str(error), error)
        expect("sk-wrong" not in str(error), error)
        return
    raise AssertionError("It was let in.")


@step("openai azure", "openai")
def azure_chat():
    import openai

    client = openai.AzureOpenAI(
        api_key=KEY, azure_endpoint=BASE, api_version="2025-04-01-preview", max_retries=0
    )
    answer = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": "Say hello."}]
    )
    expect(answer.choices[0].message.content, answer)


# anthropic

def anthropic_client():
    import anthropic

    return anthropic.Anthropic(api_key=KEY, base_url=BASE, max_retries=0)


@step("anthropic", "anthropic")
def message():
    answer = anthropic_client().messages.create(
        model="claude-sonnet-4-5-20250929",
        max_tokens=200,
        messages=[{"role": "user", "content": "Say hello."}],
    )
    expect(answer.content[0].text, answer)


@step("anthropic", "anthropic")
def thinking_1024():
    """1,024 is the vendor's least, and what most examples send."""
    with anthropic_client().messages.stream(
        model="claude-sonnet-4-5-20250929",
        max_tokens=2_000,
        thinking={"type": "enabled", "budget_tokens": 1024},
        messages=[{"role": "user", "content": "Say hello."}],
    ) as stream:
        answer = stream.get_final_message()
    expect([block.type for block in answer.content][0] == "thinking", answer)


@step("anthropic", "anthropic")
def tools():
    client = anthropic_client()
    tool = {
        "name": "get_weather",
        "description": "Weather of a city.",
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    }
    asked = [{"role": "user", "content": "What is the weather in Rome? Use get_weather."}]
    first = client.messages.create(
        model="gpt-4o-mini", max_tokens=500, tools=[tool], messages=asked
    )
    call = next(block for block in first.content if block.type == "tool_use")
    second = client.messages.create(
        model="gpt-4o-mini",
        max_tokens=500,
        tools=[tool],
        messages=[
            *asked,
            {"role": "assistant", "content": [block.model_dump() for block in first.content]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "21 degrees"}],
            },
        ],
    )
    expect(second.content, second)


# google-genai

def genai_client(**more):
    from google import genai

    return genai.Client(api_key=KEY, http_options={"base_url": BASE}, **more)


@step("google-genai", "google.genai")
def content():
    client = genai_client()
    answer = client.models.generate_content(model="gemini-2.5-flash", contents="Say hello.")
    expect(answer.text, answer)


@step("google-genai", "google.genai")
def content_stream():
    client = genai_client()
    stream = client.models.generate_content_stream(
        model="gemini-2.5-flash", contents="Say hello."
    )
    expect("".join(chunk.text or "" for chunk in stream), "no text")


@step("google-genai", "google.genai")
def picture_in_content():
    client = genai_client()
    answer = client.models.generate_content(
        model="gemini-2.5-flash-image", contents="A fox, please."
    )
    parts = answer.candidates[0].content.parts
    expect(any(part.inline_data and part.inline_data.data for part in parts), answer)


@step("google-genai", "google.genai")
def picture_of_a_picture_model_in_content():
    """Of a model that is asked elsewhere: made, or refused with the path that makes it."""
    from google.genai import errors

    client = genai_client()
    try:
        answer = client.models.generate_content(model="gpt-image-1", contents="A fox, please.")
    except errors.ClientError as error:
        expect("/v1/images/generations" in str(error), error)
        return
    parts = answer.candidates[0].content.parts
    expect(any(part.inline_data and part.inline_data.data for part in parts), answer)


@step("google-genai", "google.genai")
def embed():
    client = genai_client()
    answer = client.models.embed_content(model="gemini-embedding-001", contents=["a", "b"])
    expect(len(answer.embeddings) == 2, answer)


def finished(client, operation):
    for _ in range(100):
        if operation.done:
            return operation
        time.sleep(0.2)
        operation = client.operations.get(operation)
    raise AssertionError("It is not done.")


@step("google-genai", "google.genai")
def file_of_a_video():
    """Since 3.0 the client makes videos in Vertex mode only; it still downloads them."""
    import httpx
    from google.genai import types

    made = httpx.post(
        f"{BASE}/v1beta/models/veo-3.1-generate-preview:predictLongRunning",
        headers={"x-goog-api-key": KEY},
        json={"instances": [{"prompt": "a fox"}]},
    ).json()
    for _ in range(100):
        task = httpx.get(f"{BASE}/v1beta/{made['name']}", headers={"x-goog-api-key": KEY}).json()
        if task.get("done"):
            break
        time.sleep(0.2)
    samples = task["response"]["generateVideoResponse"]["generatedSamples"]
    video = types.Video(uri=samples[0]["video"]["uri"])
    client = genai_client()
    expect(len(client.files.download(file=video)) > 100, "no file")


# google-genai in Vertex mode

def vertex_client():
    from google import genai

    return genai.Client(
        vertexai=True, api_key=KEY, http_options={"base_url": BASE, "api_version": "v1beta1"}
    )


def vertex_project_client(version):
    from google import genai
    from google.oauth2 import credentials

    return genai.Client(
        vertexai=True,
        project="p",
        location="us-central1",
        credentials=credentials.Credentials(token=KEY),
        http_options={"base_url": BASE, "api_version": version},
    )


@step("google-genai vertex", "google.genai")
def vertex_content():
    client = vertex_client()
    answer = client.models.generate_content(model="gemini-2.5-flash", contents="Say hello.")
    expect(answer.text, answer)


@step("google-genai vertex", "google.genai")
def vertex_content_stream():
    client = vertex_client()
    stream = client.models.generate_content_stream(
        model="gemini-2.5-flash", contents="Say hello."
    )
    expect("".join(chunk.text or "" for chunk in stream), "no text")


@step("google-genai vertex", "google.genai")
def vertex_count():
    client = vertex_client()
    answer = client.models.count_tokens(model="gemini-2.5-flash", contents="Say hello.")
    expect(answer.total_tokens > 0, answer)


@step("google-genai vertex", "google.genai")
def vertex_embed():
    client = vertex_client()
    answer = client.models.embed_content(model="gemini-embedding-001", contents=["a", "b"])
    expect(len(answer.embeddings) == 2 and answer.embeddings[0].values, answer)


@step("google-genai vertex", "google.genai")
def vertex_images():
    from google.genai import types

    client = vertex_client()
    answer = client.models.generate_images(
        model="imagen-4.0-generate-001",
        prompt="a fox",
        config=types.GenerateImagesConfig(number_of_images=2, aspect_ratio="16:9"),
    )
    expect(len(answer.generated_images) == 2, answer)
    expect(answer.generated_images[0].image.image_bytes, answer)


@step("google-genai vertex", "google.genai")
def vertex_video():
    from google.genai import types

    client = vertex_client()
    operation = client.models.generate_videos(
        model="veo-3.1-generate-preview",
        source=types.GenerateVideosSource(prompt="a fox"),
        config=types.GenerateVideosConfig(duration_seconds=8, aspect_ratio="16:9"),
    )
    video = finished(client, operation).response.generated_videos[0].video
    expect(video.video_bytes or video.uri, video)


@step("google-genai vertex", "google.genai")
def vertex_models():
    client = vertex_client()
    expect(any("gemini" in model.name for model in client.models.list()), "no models")


@step("google-genai vertex project", "google.genai")
def vertex_project_content():
    for version in ("v1", "v1beta1"):
        client = vertex_project_client(version)
        answer = client.models.generate_content(
            model="gemini-2.5-flash", contents="Say hello."
        )
        expect(answer.text, answer)


@step("google-genai vertex project", "google.genai")
def vertex_project_images():
    client = vertex_project_client("v1")
    answer = client.models.generate_images(
        model="imagen-4.0-generate-001", prompt="a fox"
    )
    expect(answer.generated_images[0].image.image_bytes, answer)


@step("google-genai vertex project", "google.genai")
def vertex_project_video():
    from google.genai import types

    client = vertex_project_client("v1beta1")
    operation = client.models.generate_videos(
        model="veo-3.1-generate-preview", source=types.GenerateVideosSource(prompt="a fox")
    )
    video = finished(client, operation).response.generated_videos[0].video
    expect(video.video_bytes or video.uri, video)


# litellm

@step("litellm", "litellm")
def litellm_chat():
    import litellm

    answer = litellm.completion(
        model="openai/gpt-4o-mini",
        api_base=BASE + "/v1",
        api_key=KEY,
        messages=[{"role": "user", "content": "Say hello."}],
    )
    expect(answer.choices[0].message.content, answer)


@step("litellm", "litellm")
def litellm_images():
    import litellm

    answer = litellm.image_generation(
        model="openai/gpt-image-1", api_base=BASE + "/openai/v1", api_key=KEY, prompt="a fox"
    )
    expect(answer.data[0].b64_json, answer)


@step("litellm", "litellm")
def litellm_wrong_key():
    """It knows a wrong key by the words of the message alone."""
    import litellm

    for model, base in (("openai/gpt-4o-mini", "/v1"), ("anthropic/claude-sonnet-4-5-20250929", "")):
        try:
            litellm.completion(
                model=model,
                api_base=BASE + base,
                api_key="sk-wrong",
                max_retries=0,
                messages=[{"role": "user", "content": "Say hello."}],
            )
        except litellm.AuthenticationError:
            continue
        raise AssertionError("It was let in.")


# langchain

@step("langchain-openai", "langchain_openai")
def langchain_chat():
    from langchain_openai import ChatOpenAI

    llm = ChatOpenAI(model="gpt-4o-mini", api_key=KEY, base_url=BASE + "/v1", max_retries=0)
    expect(llm.invoke("Say hello.").content, "no text")
    expect("".join(chunk.text for chunk in llm.stream("Say hello.")), "no text")


@step("langchain-openai", "langchain_openai")
def langchain_structured():
    from langchain_openai import ChatOpenAI
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        age: int

    llm = ChatOpenAI(model="gpt-4o-mini", api_key=KEY, base_url=BASE + "/v1", max_retries=0)
    expect(isinstance(llm.with_structured_output(Person).invoke("Ada is 36."), Person), "no person")


@step("langchain-anthropic", "langchain_anthropic")
def langchain_message():
    from langchain_anthropic import ChatAnthropic

    llm = ChatAnthropic(
        model="claude-sonnet-4-5-20250929", api_key=KEY, base_url=BASE, max_retries=0
    )
    expect(llm.invoke("Say hello.").content, "no text")


@step("langchain-google-genai", "langchain_google_genai")
def langchain_content():
    from langchain_google_genai import ChatGoogleGenerativeAI

    llm = ChatGoogleGenerativeAI(
        model="gemini-2.5-flash", google_api_key=KEY, base_url=BASE, max_retries=1
    )
    expect(llm.invoke("Say hello.").content, "no text")


# llama-index

@step("llama-index-openai", "llama_index.llms.openai")
def llama_index_chat():
    from llama_index.core.llms import ChatMessage
    from llama_index.llms.openai import OpenAI

    llm = OpenAI(model="gpt-4o-mini", api_key=KEY, api_base=BASE + "/v1", max_retries=0)
    expect(str(llm.chat([ChatMessage(role="user", content="Say hello.")])), "no text")


# instructor, magentic

@step("instructor", "instructor")
def instructor_person():
    import instructor
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        age: int

    for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
        client = instructor.from_openai(openai_client(), mode=mode)
        person = client.chat.completions.create(
            model="gpt-4o-mini",
            response_model=Person,
            max_retries=0,
            messages=[{"role": "user", "content": "Ada is 36."}],
        )
        expect(isinstance(person, Person), person)


@step("magentic", "magentic")
def magentic_prompt():
    from magentic import OpenaiChatModel, prompt

    @prompt("Say hello.", model=OpenaiChatModel("gpt-4o-mini", base_url=BASE + "/v1", api_key=KEY))
    def hello() -> str: ...

    expect(hello(), "no text")


# Vendors' own

@step("mistralai", "mistralai")
def mistral_chat():
    try:
        from mistralai.client import Mistral
    except ImportError:
        from mistralai import Mistral

    client = Mistral(api_key=KEY, server_url=BASE)
    asked = [{"role": "user", "content": "Say hello."}]
    expect(client.chat.complete(model="gpt-4o-mini", messages=asked).choices, "no answer")
    events = list(client.chat.stream(model="gpt-4o-mini", messages=asked))
    expect(events, "no events")


@step("groq", "groq")
def groq_chat():
    import groq

    answer = groq.Groq(api_key=KEY, base_url=BASE, max_retries=0).chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": "Say hello."}]
    )
    expect(answer.choices[0].message.content, answer)


# Ark

def ark_client(base):
    from volcenginesdkarkruntime import Ark

    return Ark(api_key=KEY, base_url=BASE + base, max_retries=0)


def ark_steps(base):
    client = f"volcengine ark {base}"

    @step(client, "volcenginesdkarkruntime")
    def ark_chat():
        ark = ark_client(base)
        asked = [{"role": "user", "content": "Say hello."}]
        model = "doubao-seed-1-6-250615"
        answer = ark.chat.completions.create(model=model, messages=asked)
        expect(answer.choices[0].message.content, answer)
        chunks = list(ark.chat.completions.create(model=model, messages=asked, stream=True))
        expect(chunks, "no chunks")

    @step(client, "volcenginesdkarkruntime")
    def ark_responses():
        answer = ark_client(base).responses.create(model="doubao-seed-1-6-250615", input="Say hello.")
        expect(answer.output, answer)

    @step(client, "volcenginesdkarkruntime")
    def ark_images():
        answer = ark_client(base).images.generate(
            model="doubao-seedream-4-0-250828", prompt="a fox", size="2K"
        )
        expect(answer.data[0].url or answer.data[0].b64_json, answer)

    @step(client, "volcenginesdkarkruntime")
    def ark_embeddings():
        answer = ark_client(base).embeddings.create(
            model="text-embedding-3-small", input=["a", "b"], encoding_format="float"
        )
        expect(len(answer.data) == 2 and answer.data[0].embedding, answer)

    @step(client, "volcenginesdkarkruntime")
    def ark_video_by_its_link():
        tasks = ark_client(base).content_generation.tasks
        task = tasks.create(
            model="doubao-seedance-1-0-pro-250528", content=[{"type": "text", "text": "a fox"}]
        )
        for _ in range(100):
            task = tasks.get(task_id=task.id)
            if task.status == "succeeded":
                break
            time.sleep(0.2)
        # As its users do: without a key.
        with urllib.request.urlopen(task.content.video_url) as file:
            expect(len(file.read()) > 100, "no file")
        expect(tasks.list().items, "no tasks")
        tasks.delete(task_id=task.id)

    @step(client, "volcenginesdkarkruntime")
    def ark_refusal():
        from volcenginesdkarkruntime import _exceptions as errors

        try:
            ark_client(base).chat.completions.create(model="doubao-seed-1-6-250615", messages=[])
        except errors.ArkBadRequestError as error:
            expect(error.code and error.message, error)
            return
        raise AssertionError("It was taken.")


for base in ("/api/v3", "/videoa/api/v3", "/seedance/api/v3"):
    ark_steps(base)


def main():
    for client, module, name, run in STEPS:
        if PICKED and not any(word in f"{client} {name}" for word in PICKED):
            continue
        said = {"client": client, "step": name}
        try:
            importlib.import_module(module)
        except ImportError as error:
            print(json.dumps({**said, "missing": str(error)}), flush=True)
            continue
        query = urllib.parse.urlencode({"client": client, "step": name})
        urllib.request.urlopen(f"{BASE}/_step?{query}").read()
        try:
            run()
        except BaseException as error:
            said["failure"] = f"{type(error).__name__}: {error}"[:600]
            traceback.print_exc(file=sys.stderr)
        print(json.dumps(said), flush=True)


main()
