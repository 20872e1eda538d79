import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;
import com.google.genai.Client;
import com.google.genai.types.GenerateImagesConfig;
import com.google.genai.types.GenerateVideosConfig;
import com.google.genai.types.GenerateVideosOperation;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.Video;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.images.ImageGenerateParams;
import com.openai.models.responses.ResponseCreateParams;
import com.volcengine.ark.runtime.exception.ArkHttpException;
import com.volcengine.ark.runtime.model.completion.chat.ChatCompletionRequest;
import com.volcengine.ark.runtime.model.completion.chat.ChatMessage;
import com.volcengine.ark.runtime.model.completion.chat.ChatMessageRole;
import com.volcengine.ark.runtime.model.content.generation.CreateContentGenerationTaskRequest;
import com.volcengine.ark.runtime.model.content.generation.CreateContentGenerationTaskRequest.Content;
import com.volcengine.ark.runtime.model.content.generation.GetContentGenerationTaskRequest;
import com.volcengine.ark.runtime.model.images.generation.GenerateImagesRequest;
import com.volcengine.ark.runtime.service.ArkService;
import dev.langchain4j.model.openai.OpenAiChatModel;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Steps of Java clients. Prints a JSON line for each: client, step, and a failure if there is one. */
public final class Steps {
  private static final String TEXT = "gpt-4o-mini";
  private static final String VEO = "veo-3.1-generate-preview";
  private static final String ARK_TEXT = "doubao-seed-1-6-250615";
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static String base;
  private static String key;
  private static List<String> picked;

  private interface Step {
    void run() throws Exception;
  }

  public static void main(String[] args) {
    base = args[0];
    key = args[1];
    picked = List.of(args).subList(2, args.length);
    openai();
    anthropic();
    genai();
    ark("/api/v3");
    ark("/seedance/api/v3");
    step("langchain4j", "chat", () -> {
      OpenAiChatModel model =
          OpenAiChatModel.builder().baseUrl(base + "/openai/v1").apiKey(key).modelName(TEXT).build();
      expect(!model.chat("Say hello.").isEmpty(), "no text");
    });
    System.exit(0);
  }

  private static void openai() {
    OpenAIClient client =
        OpenAIOkHttpClient.builder().baseUrl(base + "/v1").apiKey(key).maxRetries(0).build();
    step("openai-java", "chat", () -> {
      var answer =
          client
              .chat()
              .completions()
              .create(
                  ChatCompletionCreateParams.builder().model(TEXT).addUserMessage("Say hello.").build());
      expect(answer.choices().get(0).message().content().isPresent(), answer);
    });
    step("openai-java", "responses", () -> {
      var answer =
          client
              .responses()
              .create(ResponseCreateParams.builder().model(TEXT).input("Say hello.").build());
      expect(!answer.output().isEmpty(), answer);
    });
    step("openai-java", "images", () -> {
      var answer =
          client
              .images()
              .generate(ImageGenerateParams.builder().model("gpt-image-1").prompt("a fox").build());
      expect(answer.data().orElseThrow().get(0).b64Json().isPresent(), answer);
    });
  }

  private static void anthropic() {
    var client = AnthropicOkHttpClient.builder().baseUrl(base).apiKey(key).maxRetries(0).build();
    step("anthropic-java", "thinking_1024", () -> {
      var answer =
          client
              .messages()
              .create(
                  MessageCreateParams.builder()
                      .model("claude-sonnet-4-5-20250929")
                      .maxTokens(2_000)
                      .enabledThinking(1_024)
                      .addUserMessage("Say hello.")
                      .build());
      expect(answer.content().size() == 2, answer);
    });
  }

  private static void genai() {
    Client client =
        Client.builder()
            .apiKey(key)
            .httpOptions(HttpOptions.builder().baseUrl(base).build())
            .build();
    Client cloud =
        Client.builder()
            .apiKey(key)
            .vertexAI(true)
            .httpOptions(HttpOptions.builder().baseUrl(base).apiVersion("v1beta1").build())
            .build();
    step("genai-java", "content", () -> {
      var answer = client.models.generateContent("gemini-2.5-flash", "Say hello.", null);
      expect(!answer.text().isEmpty(), answer);
    });
    step("genai-java", "file_of_a_video", () -> {
      // Outside of its cloud mode it downloads videos, but has none made.
      Path file = Files.createTempFile("video", ".mp4");
      client.files.download(Video.builder().uri(linkOfVideo()).build(), file.toString(), null);
      expect(Files.size(file) > 100, Files.size(file));
      Files.delete(file);
    });
    step("genai-java vertex", "content", () -> {
      var answer = cloud.models.generateContent("gemini-2.5-flash", "Say hello.", null);
      expect(!answer.text().isEmpty(), answer);
    });
    step("genai-java vertex", "images", () -> {
      var config = GenerateImagesConfig.builder().numberOfImages(2).build();
      var answer = cloud.models.generateImages("imagen-4.0-generate-001", "a fox", config);
      var first = answer.generatedImages().orElseThrow().get(0).image().orElseThrow();
      expect(first.imageBytes().orElseThrow().length > 100, answer);
    });
    step("genai-java vertex", "video", () -> {
      expect(finished(cloud).videoBytes().orElseThrow().length > 100, "no file");
    });
  }

  private static String linkOfVideo() throws Exception {
    String models = base + "/v1beta/models/" + VEO;
    String asked = "{\"instances\":[{\"prompt\":\"a fox\"}]}";
    var begin =
        HttpRequest.newBuilder(URI.create(models + ":predictLongRunning"))
            .header("x-goog-api-key", key)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(asked))
            .build();
    String name = member("name", HTTP.send(begin, HttpResponse.BodyHandlers.ofString()).body());
    var look =
        HttpRequest.newBuilder(URI.create(base + "/v1beta/" + name))
            .header("x-goog-api-key", key)
            .build();
    String operation = "";
    while (!operation.contains("\"uri\"")) {
      Thread.sleep(200);
      operation = HTTP.send(look, HttpResponse.BodyHandlers.ofString()).body();
    }
    return member("uri", operation);
  }

  private static String member(String name, String json) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    if (!found.find()) throw new AssertionError(json);
    return found.group(1);
  }

  private static Video finished(Client client) throws Exception {
    GenerateVideosOperation operation =
        client.models.generateVideos(VEO, "a fox", null, GenerateVideosConfig.builder().build());
    while (!operation.done().orElse(false)) {
      Thread.sleep(200);
      operation = client.operations.getVideosOperation(operation, null);
    }
    return operation.response().orElseThrow().generatedVideos().orElseThrow().get(0).video().orElseThrow();
  }

  private static void ark(String prefix) {
    ArkService service =
        ArkService.builder().apiKey(key).baseUrl(base + prefix).retryTimes(0).build();
    String client = "volcengine ark java " + prefix;
    var hello = ChatMessage.builder().role(ChatMessageRole.USER).content("Say hello.").build();
    step(client, "chat", () -> {
      var request =
          ChatCompletionRequest.builder().model(ARK_TEXT).messages(List.of(hello)).build();
      var answer = service.createChatCompletion(request);
      expect(answer.getChoices().get(0).getMessage().getContent() != null, answer);
    });
    step(client, "refusal", () -> {
      try {
        service.createChatCompletion(
            ChatCompletionRequest.builder().model(ARK_TEXT).messages(List.of()).build());
      } catch (ArkHttpException failure) {
        expect(failure.code != null && failure.statusCode == 400, failure);
        return;
      }
      throw new AssertionError("It was taken.");
    });
    step(client, "images", () -> {
      var answer =
          service.generateImages(
              GenerateImagesRequest.builder()
                  .model("doubao-seedream-4-0-250828")
                  .prompt("a fox")
                  .build());
      expect(answer.getData().get(0).getUrl() != null, answer);
    });
    step(client, "video_by_its_link", () -> {
      var content = Content.builder().type("text").text("a fox").build();
      var begun =
          service.createContentGenerationTask(
              CreateContentGenerationTaskRequest.builder()
                  .model("doubao-seedance-1-0-pro-250528")
                  .content(List.of(content))
                  .build());
      var request = GetContentGenerationTaskRequest.builder().taskId(begun.getId()).build();
      var task = service.getContentGenerationTask(request);
      while (!"succeeded".equals(task.getStatus())) {
        Thread.sleep(200);
        task = service.getContentGenerationTask(request);
      }
      var file = HTTP.send(get(task.getContent().getVideoUrl()), HttpResponse.BodyHandlers.ofByteArray());
      expect(file.statusCode() == 200 && file.body().length > 100, file);
    });
  }

  private static void step(String client, String name, Step step) {
    if (!picked.isEmpty() && picked.stream().noneMatch((client + " " + name)::contains)) return;
    String failure = null;
    try {
      String query = "client=" + encoded(client) + "&step=" + encoded(name);
      HTTP.send(get(base + "/_step?" + query), HttpResponse.BodyHandlers.discarding());
      step.run();
    } catch (Throwable cause) {
      cause.printStackTrace();
      failure = cause.toString();
    }
    String said = failure == null ? "" : ",\"failure\":\"" + escaped(failure) + "\"";
    System.out.println("{\"client\":\"" + client + "\",\"step\":\"" + name + "\"" + said + "}");
  }

  private static void expect(boolean condition, Object said) {
    if (!condition) throw new AssertionError(said);
  }

  private static HttpRequest get(String url) {
    return HttpRequest.newBuilder(URI.create(url)).build();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String escaped(String text) {
    String line = text.replaceAll("[\\p{Cntrl}]", " ").replace("\\", "\\\\").replace("\"", "\\\"");
    return line.substring(0, Math.min(600, line.length()));
  }
}
