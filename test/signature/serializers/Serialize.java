// Writes what each way to serialize makes of each JSON text on standard input; null for an error.
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Serialize {
  interface Way {
    String run(String text) throws Exception;
  }

  static String name(String library, List<String> options) {
    return options.isEmpty() ? library : library + " with " + String.join(", ", options);
  }

  static Way gson(boolean isElement, boolean hasNulls, boolean isUnescaped) {
    GsonBuilder builder = new GsonBuilder();
    if (hasNulls) builder.serializeNulls();
    if (isUnescaped) builder.disableHtmlEscaping();
    Gson gson = builder.create();
    return text -> gson.toJson(isElement ? JsonParser.parseString(text) : gson.fromJson(text, Object.class));
  }

  static Way jackson(boolean isSorted) {
    ObjectMapper mapper = new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, isSorted);
    return text -> {
      Object value = mapper.readValue(text, Object.class);
      return mapper.writeValueAsString(value);
    };
  }

  public static void main(String[] args) throws Exception {
    Map<String, Way> ways = new LinkedHashMap<>();
    for (int mask = 0; mask < 8; mask++) {
      List<String> options = new ArrayList<>();
      String[] names = {"JsonElement", "serializeNulls", "disableHtmlEscaping"};
      for (int bit = 0; bit < 3; bit++) if ((mask >> bit & 1) == 1) options.add(names[bit]);
      ways.put(name("Gson of Java", options), gson((mask & 1) > 0, (mask & 2) > 0, (mask & 4) > 0));
    }
    ways.put("Jackson of Java", jackson(false));
    ways.put("Jackson of Java with ORDER_MAP_ENTRIES_BY_KEYS", jackson(true));
    ObjectMapper mapper = new ObjectMapper();
    List<?> payloads = mapper.readValue(System.in, List.class);
    Map<String, Object> results = new LinkedHashMap<>();
    for (Map.Entry<String, Way> way : ways.entrySet()) {
      List<String> texts = new ArrayList<>();
      for (Object text : payloads) {
        String written;
        try {
          written = way.getValue().run((String) text);
        } catch (Exception e) {
          written = null;
        }
        // Java keeps half of a pair of surrogates, which UTF-8 cannot contain.
        texts.add(written != null && StandardCharsets.UTF_8.newEncoder().canEncode(written) ? written : null);
      }
      results.put(way.getKey(), texts);
    }
    System.out.write(mapper.writeValueAsBytes(Map.of("version", System.getProperty("java.version"), "ways", results)));
    System.out.flush();
  }
}
