/* What happens in a turn?
 *
 * The host leaves its stack for the bot's and comes back when the bot leaves:
 * because the function returned, because there is no fuel or memory, or by a
 * signal (signals.c). The cell of fuel belongs to the bot's code while it runs
 * and to the host between. Fuel that is given while an allocation waits goes
 * into the cell only when the code asks for it: it may have the cell's value
 * in a register at such a place.
 *
 * A turn sees the C locale and leaves the host's errno as it was.
 */

static void opcost__leave(struct opcost_plugin *plugin, uint32_t why) {
  struct opcost_instance *instance = (struct opcost_instance *)plugin->host;
  instance->kind = (opcost_kind)why;
  opcost__switch(&instance->bot_left, instance->host_left);
}

const char *opcost_kind_name(opcost_kind kind) {
  static const char *const names[] = {"finished", "used-up", "blocked", "memory", "stack", "crashed", "rejected", "time"};
  return (unsigned)kind < 8 ? names[kind] : "unknown";
}

static opcost_verdict opcost__refuse(const char *reason) {
  opcost_verdict verdict;
  memset(&verdict, 0, sizeof verdict);
  verdict.kind = OPCOST_REJECTED;
  verdict.is_exact = 1;
  verdict.reason = reason;
  return verdict;
}

static void opcost__grant(struct opcost_instance *instance, uint64_t fuel) {
  *instance->plugin->fuel += (int64_t)fuel;
  instance->granted += fuel;
}

static uint64_t opcost__spent(const struct opcost_instance *instance) {
  int64_t left = *instance->plugin->fuel;
  return left < 0 || (uint64_t)left < instance->granted ? instance->granted - (uint64_t)left : 0;
}

static opcost_verdict opcost__verdict(struct opcost_instance *instance) {
  const struct opcost_plugin *plugin = instance->plugin;
  opcost_verdict verdict = opcost__refuse(NULL);
  verdict.kind = instance->kind;
  verdict.spent = opcost__spent(instance);
  verdict.spent_in_all = instance->spent_before + verdict.spent;
  uint64_t given = instance->granted + instance->pending;
  verdict.beyond = verdict.spent > given ? verdict.spent - given : 0;
  verdict.is_exact = verdict.kind == OPCOST_FINISHED || verdict.kind == OPCOST_USED_UP;
  verdict.signal = instance->signal;
  if (plugin->site && (verdict.kind == OPCOST_USED_UP || verdict.kind == OPCOST_CRASHED)) {
    verdict.function = plugin->site->function;
    verdict.file = *plugin->site->file ? plugin->site->file : NULL;
    verdict.line = plugin->site->line;
  }
  verdict.reason = verdict.kind == OPCOST_CRASHED ? plugin->reason : NULL;
  return verdict;
}

/* Runs the bot until it leaves. */
static void opcost__go(struct opcost_instance *instance, struct opcost__thread *thread, uint64_t deadline) {
  locale_t locale = uselocale(opcost__plain);
  int error = errno;
  instance->plugin->site = NULL;
  instance->plugin->reason = NULL;
  instance->plugin->signal = 0;
  instance->signal = 0;
  instance->tries = instance->looks = 0;
  instance->deadline = deadline ? opcost__now() + deadline : 0;
  if (deadline) instance->began = opcost__effort();
  instance->host_frame = (char *)__builtin_frame_address(0);
  opcost__current = instance;
  if (deadline) opcost__set_timer(thread, instance->deadline);
  do {
    opcost__switch(&instance->host_left, instance->bot_left);
    /* Fuel that came while an allocation waited. */
    opcost__grant(instance, instance->kind == OPCOST_USED_UP ? instance->pending : 0);
    if (instance->kind == OPCOST_USED_UP) instance->pending = 0;
  } while (instance->kind == OPCOST_USED_UP && *instance->plugin->fuel >= 0);
  if (deadline) opcost__set_timer(thread, 0);
  opcost__current = NULL;
  if (instance->tries)
    mprotect(instance->text_low, (size_t)(instance->text_high - instance->text_low), PROT_READ | PROT_EXEC);
  errno = error;
  uselocale(locale);
  int is_suspended = instance->kind == OPCOST_USED_UP || instance->kind == OPCOST_MEMORY;
  instance->state = is_suspended ? OPCOST__SUSPENDED : instance->kind == OPCOST_FINISHED ? OPCOST__IDLE : OPCOST__DEAD;
  if (instance->kind == OPCOST_CRASHED && instance->signal == 0) instance->signal = instance->plugin->signal;
  instance->deadline = 0;
}

/* Why no turn can begin or go on, or null. */
static const char *opcost__objection(struct opcost_instance *instance, uint64_t fuel, int wanted) {
  if (instance->state == OPCOST__DEAD) return "it was cut off or crashed, and can only be dropped";
  if (opcost__current) return "a turn cannot begin inside a turn";
  if (instance->state != wanted)
    return wanted == OPCOST__IDLE ? "it is suspended; resume it or drop it" : "it is not suspended";
  if (fuel > INT64_MAX / 4 || (wanted != OPCOST__IDLE && instance->granted + instance->pending > INT64_MAX / 4))
    return "fuel goes up to 2.3e18 instructions";
  return NULL;
}

opcost_verdict opcost_run(opcost_instance *instance, opcost_function function, void *argument, uint64_t fuel,
                          uint64_t deadline) {
  const char *objection = opcost__objection(instance, fuel, OPCOST__IDLE);
  if (objection == NULL && !opcost__has(instance, function)) objection = "the function is not one that opcost_find gave";
  struct opcost__thread *thread = objection ? NULL : opcost__thread();
  if (thread == NULL) return opcost__refuse(objection ? objection : "no timer or signal stack to be had");
  instance->spent_before += opcost__spent(instance);
  instance->granted = instance->pending = 0;
  *instance->plugin->fuel = 0;
  opcost__grant(instance, fuel);
  instance->plugin->function = function;
  instance->plugin->argument = argument;
  instance->plugin->output_used = instance->plugin->output_lost = 0;
  opcost__go(instance, thread, deadline);
  return opcost__verdict(instance);
}

opcost_verdict opcost_resume(opcost_instance *instance, uint64_t fuel, uint64_t deadline) {
  const char *objection = opcost__objection(instance, fuel, OPCOST__SUSPENDED);
  struct opcost__thread *thread = objection ? NULL : opcost__thread();
  if (thread == NULL) return opcost__refuse(objection ? objection : "no timer or signal stack to be had");
  if (instance->kind == OPCOST_USED_UP) {
    opcost__grant(instance, fuel);
    /* Not enough for what it has done already. */
    if (*instance->plugin->fuel < 0) return opcost__verdict(instance);
  } else {
    instance->pending += fuel;
  }
  opcost__go(instance, thread, deadline);
  return opcost__verdict(instance);
}

int64_t opcost_left(const opcost_instance *instance) {
  return *instance->plugin->fuel + (int64_t)instance->pending;
}
